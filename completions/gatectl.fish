# Completion of gatectl for fish. gatectl completion fish prints it.

function __gatectl_complete
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    set -l current (string unescape -- "$token")
    set -l bin $words[1]
    type -q -- $bin; or set bin gatectl
    set -l lines ($bin __complete fish ".$current" $words[2..-1] 2>/dev/null </dev/null)
    set -l header (string split \t -- "$lines[1]")
    set -l path (string sub -s (math 1 + (string length -- "$header[2]")) -- "$token")
    switch "$header[1]"
        case files
            for file in (complete -C "'' $path")
                printf '%s%s\n' "$header[2]" $file
            end
        case folders
            for folder in (__fish_complete_directories "$path" '')
                printf '%s%s\n' "$header[2]" $folder
            end
    end
    for line in $lines[2..-1]
        printf '%s\n' $line
    end
end

complete -c gatectl -f -a '(__gatectl_complete)'
