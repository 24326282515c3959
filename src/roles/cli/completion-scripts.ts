/**
 * Completion scripts. Each asks `bir __complete WORDS…` what may stand in place of the last word, and gets lines of a
 * word, a tab and a description, so that a script never has to change with the commands.
 */

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof SHELLS)[number];

/** First word of the command line that the scripts use. */
export const COMPLETE_WORD = "__complete";

const BASH = `# bir completions for bash. Load with: source <(bir completions bash)
_bir() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(bir ${COMPLETE_WORD} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _bir bir
`;

const ZSH = `#compdef bir
# bir completions for zsh. Load with: source <(bir completions zsh), or save as _bir in a directory of $fpath.
_bir() {
  local -a proposals
  local line word
  while IFS= read -r line; do
    word="\${line%%$'\\t'*}"
    proposals+=("\${word//:/\\\\:}:\${line#*$'\\t'}")
  done < <(bir ${COMPLETE_WORD} "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#proposals} )); then
    _describe 'bir' proposals
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _bir ]]; then
  _bir "$@"
else
  compdef _bir bir
fi
`;

const FISH = `# bir completions for fish. Load with: bir completions fish | source
function __bir_complete
  set -l words (commandline -opc)
  set -l proposals (bir ${COMPLETE_WORD} $words[2..-1] (commandline -ct) 2>/dev/null)
  if test (count $proposals) -gt 0
    printf '%s\\n' $proposals
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c bir -f -a '(__bir_complete)'
`;

const POWERSHELL = `# bir completions for PowerShell. Load with: bir completions powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName bir -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -eq '') { $words += '' }
  bir ${COMPLETE_WORD} @words 2>$null | ForEach-Object {
    $word, $brief = $_ -split "\`t", 2
    if (-not $brief) { $brief = $word }
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $brief)
  }
}
`;

export const COMPLETION_SCRIPTS: Record<Shell, string> = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
  powershell: POWERSHELL,
};
