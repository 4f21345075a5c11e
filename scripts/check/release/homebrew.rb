# A stand-in for Homebrew that runs the methods of a formula: ruby homebrew.rb FORMULA TARBALL PREFIX
# It has what packaging/gatectl.rb.template calls, no more, and stops at anything else.
require 'digest'
require 'fileutils'
require 'pathname'

FORMULA, TARBALL, PREFIX = ARGV.map { |path| Pathname(path) }

class Pathname
  def install(files)
    mkpath
    pairs = files.is_a?(Hash) ? files : Array(files).to_h { |file| [file, file.basename] }
    raise "nothing to install into #{self}" if pairs.empty?
    pairs.each { |file, name| FileUtils.cp(file, self / name) }
  end

  def install_symlink(files)
    mkpath
    raise "nothing to link in #{self}" if files.empty?
    files.each { |file| FileUtils.ln_s(file, self / file.basename) }
  end
end

class Formula
  class << self
    attr_reader :checks

    %i[desc homepage url sha256 license depends_on].each do |name|
      define_method(name) { |value = nil| value.nil? ? (@facts || {})[name] : ((@facts ||= {})[name] = value) }
    end

    def test(&block)
      @checks = block
    end
  end

  def version
    self.class.url[/(\d+\.\d+\.\d+[^\/]*)\.tgz\z/, 1]
  end

  def libexec
    PREFIX / 'libexec'
  end

  { bin: 'bin', man1: 'share/man/man1', man7: 'share/man/man7', bash_completion: 'etc/bash_completion.d',
    zsh_completion: 'share/zsh/site-functions', fish_completion: 'share/fish/vendor_completions.d' }.each do |name, path|
    define_method(name) { PREFIX / path }
  end

  def std_npm_args
    ['--global', '--no-audit', '--no-fund', "--prefix=#{libexec}", TARBALL.to_s]
  end

  def system(*words)
    Kernel.system(*words, out: File::NULL) or raise "#{words.first(2).join(' ')} failed"
  end

  def shell_output(command)
    output = `#{command}`
    raise "#{command} failed" unless $?.success?
    output
  end

  def assert_match(expected, actual)
    raise "#{actual.inspect} lacks #{expected}" unless actual.include?(expected)
  end

  def assert_equal(expected, actual)
    raise "#{actual.inspect} is not #{expected.inspect}" unless expected == actual
  end
end

load FORMULA.to_s
raise 'another checksum' unless Gatectl.sha256 == Digest::SHA256.file(TARBALL).hexdigest
formula = Gatectl.new
formula.install
formula.instance_eval(&Gatectl.checks)
pages = (formula.man1.children + formula.man7.children).size
completions = [formula.bash_completion / 'gatectl', formula.zsh_completion / '_gatectl', formula.fish_completion / 'gatectl.fish']
missing = completions.reject(&:file?)
raise "no #{missing.join(', ')}" unless missing.empty?
print "installed and tested by the formula's own methods, #{pages} manual pages, #{completions.size} completions"
