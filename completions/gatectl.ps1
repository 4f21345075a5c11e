# Completion of gatectl for PowerShell. gatectl completion powershell prints it.

Register-ArgumentCompleter -Native -CommandName gatectl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $elements = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or
            ($_.Extent.EndOffset -eq $cursorPosition -and $wordToComplete -eq '') })
    $words = @($elements | ForEach-Object {
            if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    $start = $elements[-1].Extent.EndOffset
    $typed = $commandAst.Extent.StartScriptPosition.GetFullScript().Substring($start, $cursorPosition - $start)
    $quoted = if ($typed -match '[''"\u2018-\u201f]') { 'yes' } else { 'no' }
    $current = $wordToComplete.Trim('''"')
    $rest = @($words | Select-Object -Skip 1)
    # An empty argument gets lost on the way to a program in older PowerShells, so the word travels with a mark.
    $header, $lines = @(& $words[0] __complete powershell $quoted ".$current" @rest 2>$null)
    if (-not $header) { return }
    $kind, $before = $header.Split("`t", 2)
    if ($kind -eq 'files' -or $kind -eq 'folders') {
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($current.Substring($before.Length)) | ForEach-Object {
            # PowerShell may keep the open quote before the cursor, in which these are alive.
            if ($quoted -eq 'no' -or $_.CompletionText -notmatch '[$`"\u201c-\u201f]') {
                [System.Management.Automation.CompletionResult]::new(
                    $before + $_.CompletionText, $_.ListItemText, $_.ResultType, $_.ToolTip)
            }
        }
    }
    foreach ($line in $lines) {
        $text, $value, $summary = $line.Split("`t", 3)
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $summary)
    }
}
