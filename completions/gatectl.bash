# Completion of gatectl for bash. gatectl completion bash prints it.

_gatectl() {
  local IFS=$' \t\n' bin=$1 line='' kind=''
  COMPREPLY=()
  type -P -- "$bin" >/dev/null || bin=gatectl
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <("$bin" __complete bash "${COMP_LINE:0:COMP_POINT}" "$2" "$COMP_TYPE" "${COLUMNS:-80}" 2>/dev/null </dev/null)
  case $kind in
    open*) compopt -o nospace 2>/dev/null ;;
    folders*) compopt -o dirnames 2>/dev/null ;;
    files*)
      compopt -o default 2>/dev/null && return
      # Bash 3.2 has no compopt, and inserts file names as they are too: it gets those that need no quotes.
      while IFS= read -r line; do
        [[ $line == *[!A-Za-z0-9_./,@%+-]* ]] || COMPREPLY+=("$line")
      done < <(compgen -f -- "$2")
      ;;
  esac
}

complete -F _gatectl gatectl
