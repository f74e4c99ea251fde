#compdef agentctl
# zsh completion for agentctl; written by "agentctl completion zsh".

_agentctl() {
    local out line value description directive
    local -a lines described options
    # (Q) takes quotes off without running anything that was typed.
    out=$("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null) || return 1
    lines=("${(@f)out}")
    directive=${lines[-1]#:}
    lines[-1]=()
    (( directive & 1 )) && return 1
    if [[ ${words[CURRENT]} == -*=* ]]; then
        compset -P '*='
    fi
    for line in "${lines[@]}"; do
        [[ -n $line ]] || continue
        value=${line%%$'\t'*}
        description=${line#*$'\t'}
        [[ $line == *$'\t'* ]] || description=''
        described+=("${${value//\\/\\\\}//:/\\:}${description:+:$description}")
    done
    (( directive & 2 )) && options+=(-S '')
    if (( $#described )); then
        if (( directive & 32 )); then
            _describe -V -t agentctl agentctl described "${options[@]}"
        else
            _describe -t agentctl agentctl described "${options[@]}"
        fi
        return
    fi
    (( directive & 4 )) && return 1
    _files
}

if [[ ${funcstack[1]-} == _agentctl ]]; then
    _agentctl "$@"
else
    compdef _agentctl agentctl
fi
