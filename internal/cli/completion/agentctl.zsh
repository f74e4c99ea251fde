#compdef agentctl
# zsh completion for agentctl; written by "agentctl completion zsh".

_agentctl() {
    local out line value description directive typed
    local -a lines described options
    # A quote may be open still, where the word or a flag's value begins; (Q) takes those off that are closed. Nothing that
    # was typed is run.
    typed=${PREFIX#[\"\']}
    [[ $typed == -*=[\"\']* ]] && typed=${typed%%=*}=${${typed#*=}#?}
    typed=${(Q)typed}
    out=$("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT-1]}" "$typed" 2>/dev/null) || return 1
    lines=("${(@f)out}")
    directive=${lines[-1]#:}
    lines[-1]=()
    (( directive & 1 )) && return 1
    if [[ $typed == -*=* ]]; then
        compset -P 1 '*='
        compset -P "[\"']"
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
