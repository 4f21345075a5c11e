import { GLOBAL_SCRIPT_FLAGS, type Offer, type ScriptFlag, type ScriptPage } from './script-page.ts';

/** The completion script for PowerShell, including Windows PowerShell 5.1. */
export function powershellScript(pages: readonly ScriptPage[]): string {
  return `${HEAD}
    $everywhere = @(
${GLOBAL_SCRIPT_FLAGS.map(flag => `        ${flagRow(flag)}`).join('\n')}
    )
    $pages = @{
${pages.map(entry).join('\n')}
    }
${BODY}`;
}

function entry({ key, commands, flags, positions }: ScriptPage): string {
  const words = commands.map(({ word, summary }) => `                ${quoted(word)} = ${quoted(summary)}`);
  const rows = flags.map(flag => `                ${flagRow(flag)}`);
  const values = positions.map(({ offer, isVariadic }) => quoted((isVariadic ? '+' : '') + code(offer)));
  return [
    `        ${quoted(key)} = @{`,
    `            Commands = [ordered]@{${block(words)}}`,
    `            Flags = @(${block(rows)})`,
    `            Arguments = @(${values.join(', ')})`,
    '        }',
  ].join('\n');
}

function block(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n            `;
}

function flagRow(flag: ScriptFlag): string {
  const { long, short, value, isValueOptional, isVariadic, offer, summary } = flag;
  const names = [long, ...(short === undefined ? [] : [short])].map(quoted).join(', ');
  const taken = value === undefined ? '!' : (isVariadic ? '+' : isValueOptional ? '?' : '') + code(offer);
  return `@{ Names = @(${names}); Value = ${quoted(taken)}; Summary = ${quoted(summary)} }`;
}

function code(offer: Offer): string {
  switch (offer.kind) {
    case 'nothing':
      return '-';
    case 'files':
    case 'folders':
      return 'f';
    case 'words':
      return `=${offer.words.join(' ')}`;
    case 'local':
      return `@${offer.value}`;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

const HEAD = `# Completion of gatectl for PowerShell 5.1 and newer. \`gatectl completion powershell\` prints it; it is made from the
# commands, so don't edit it.

Register-ArgumentCompleter -Native -CommandName gatectl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # By command: its commands, its flags, and what its arguments are. What a value is: '!' none, '-' anything, 'f' a
    # file, '=a b c' one of some words, '@kind' one that gatectl knows on this machine; '+' before it: all words up to
    # the next flag; '?': it may be left out.`;

const BODY = `
    $words = @($commandAst.CommandElements |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or
            ($_.Extent.EndOffset -eq $cursorPosition -and $wordToComplete -eq '') } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    $path = ''
    $page = $pages['']
    $flag = $null
    $position = 0
    $onlyWords = $false
    for ($i = 1; $i -lt $words.Count; $i++) {
        $word = $words[$i]
        if ($flag -and -not ($flag.Value -match '^[+?]' -and $word.StartsWith('-'))) {
            if (-not $flag.Value.StartsWith('+')) { $flag = $null }
            continue
        }
        $flag = $null
        if ($onlyWords) { $position++ }
        elseif ($word -eq '--') { $onlyWords = $true }
        elseif ($word -like '--*=*') { }
        elseif ($word -like '-?*') {
            $flag = @($page.Flags) + $everywhere |
                Where-Object { $_.Names -ccontains $word -and $_.Value -ne '!' } | Select-Object -First 1
        }
        elseif ($page.Commands.Contains($word)) {
            $path = "$path $word".Trim()
            $page = $pages[$path]
        }
        else { $position++ }
    }

    $before = ''
    $current = $wordToComplete.Trim('''"')
    $offer = $null
    if ($flag -and -not ($flag.Value -match '^[+?]' -and $current.StartsWith('-'))) { $offer = $flag.Value }
    elseif (-not $onlyWords -and $current -match '^(--[a-z0-9-]+=)(.*)$') {
        $before = $Matches[1]
        $current = $Matches[2]
        $name = $before.TrimEnd('=')
        $flag = @($page.Flags) + $everywhere | Where-Object { $_.Names -ccontains $name } | Select-Object -First 1
        if ($flag) { $offer = $flag.Value }
    }
    elseif (-not $onlyWords -and $current.StartsWith('-')) {
        @($page.Flags) + $everywhere | ForEach-Object {
            $summary = $_.Summary
            $_.Names | Where-Object { $_.StartsWith($current, [StringComparison]::Ordinal) } | ForEach-Object {
                [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterName', $summary)
            }
        }
        return
    }
    elseif ($page.Commands.Count -gt 0 -and $position -eq 0) {
        $page.Commands.GetEnumerator() | Where-Object { $_.Key.StartsWith($current) } | ForEach-Object {
            [System.Management.Automation.CompletionResult]::new($_.Key, $_.Key, 'ParameterValue', $_.Value)
        }
        if ($path -eq '') { $offer = '@alias' }
        elseif ($page.Arguments.Count -gt 0) { $offer = $page.Arguments[0] }
    }
    elseif ($page.Arguments.Count -gt 0) {
        $last = $page.Arguments.Count - 1
        if ($position -le $last) { $offer = $page.Arguments[$position] }
        elseif ($page.Arguments[$last].StartsWith('+')) { $offer = $page.Arguments[$last] }
    }
    if (-not $offer) { return }

    $offer = $offer.TrimStart('+', '?')
    if ($offer -eq 'f') {
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($current) | ForEach-Object {
            [System.Management.Automation.CompletionResult]::new(
                $before + $_.CompletionText, $_.ListItemText, $_.ResultType, $_.ToolTip)
        }
        return
    }
    $lines = @()
    if ($offer.StartsWith('=')) { $lines = $offer.Substring(1).Split(' ') }
    elseif ($offer.StartsWith('@')) {
        $rest = @($words | Select-Object -Skip 1)
        # An empty argument gets lost on the way to a program in older PowerShells, so the word travels with a mark.
        $lines = @(& $words[0] __complete ($offer.Substring(1)) ".$current" @rest 2>$null)
    }
    foreach ($line in $lines) {
        $value, $summary = $line.Split("\`t", 2)
        if (-not $value.StartsWith($current)) { continue }
        $text = $before + $value
        if ($text -match '[\\s''"<>|&;(){}$,#@]' ) { $text = "'" + $text.Replace("'", "''") + "'" }
        if (-not $summary) { $summary = $value }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $summary)
    }
}
`;
