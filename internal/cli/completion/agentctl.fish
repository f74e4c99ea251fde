# fish completion for agentctl; written by "agentctl completion fish".

function __agentctl_complete
    # A quote may be open still, where the word or a flag's value begins.
    set -l current (commandline -ct | string replace -r '^(-[^=]*=)?["\']' '$1')
    set -l typed (commandline -opc) # without quotes; nothing that was typed is run
    set -l program $typed[1]
    set -l lines ($program __complete $typed[2..] "$current" 2>/dev/null)
    or return
    set -l directive (string replace -r '^:' '' -- $lines[-1])
    set -e lines[-1]
    test (math "bitand($directive, 1)") -eq 0
    or return
    set -l prefix ''
    if string match -qr '^-.*=' -- $current
        set prefix (string replace -r '=.*' '=' -- $current)
    end
    if test (count $lines) -gt 0
        for line in $lines
            printf '%s\n' "$prefix$line"
        end
    else if test (math "bitand($directive, 4)") -eq 0
        for file in (__fish_complete_path (string replace -- "$prefix" '' $current))
            printf '%s\n' "$prefix$file"
        end
    end
end

complete -c agentctl -f -k -a '(__agentctl_complete)'
