# PowerShell completion for agentctl; written by "agentctl completion powershell".

Register-ArgumentCompleter -Native -CommandName 'agentctl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # The words up to the cursor, as they are: nothing that was typed is run.
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object {
            if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
        })
    $program = $words[0]
    $arguments = @($words | Select-Object -Skip 1)
    if ($wordToComplete -eq '') {
        # Before 7.3 an empty argument is lost on its way unless it is quoted.
        $arguments += $(if ($PSVersionTable.PSVersion -lt [version]'7.3' -or $PSNativeCommandArgumentPassing -eq 'Legacy') { '""' } else { '' })
    }
    $lines = @(& $program __complete @arguments 2>$null)
    if ($lines.Count -eq 0) { return }
    $directive = [int]($lines[-1].TrimStart(':'))
    if ($directive -band 1) { return }
    $prefix = ''
    if ($wordToComplete -match '^(-[^=]*=)') { $prefix = $Matches[1] }
    $found = @($lines | Select-Object -SkipLast 1 | Where-Object { $_ -ne '' })
    if ($found.Count -eq 0) {
        # Nothing at all, where file names are no answer either: an empty text keeps PowerShell from offering files.
        if ($directive -band 4) { '' }
        return
    }
    foreach ($line in $found) {
        $value, $description = $line -split "`t", 2
        if (-not $description) { $description = $value }
        $text = $prefix + $value
        if ($text -match "[\s'``\$\{\}\(\);,|&<>@#]" -and $prefix -eq '') { $text = "'" + ($text -replace "'", "''") + "'" }
        if (-not ($directive -band 2)) { $text += ' ' }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
    }
}
