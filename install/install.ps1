# Puts bir on this machine for the user who runs it, or a newer one in place of it:
#   powershell -ExecutionPolicy Bypass -File install.ps1
#
# It reads the same environment and follows the same rules as install.sh, which says what they are. In place of a line in a
# shell's settings, the user's Path gets the directory. Nothing is replaced before the new executable has the right checksum
# and has run. For Windows PowerShell 5.1 and later; curl.exe is a part of Windows.
#
# All of it is one function, called on the last line: of a download that was cut off, nothing runs.

function Install-Bir {
    Set-StrictMode -Version 2
    $ErrorActionPreference = 'Stop'
    $ProgressPreference = 'SilentlyContinue'

    # Where releases are published. Empty: nowhere yet.
    $ReleaseUrl = ''
    $Targets = 'windows-x64 windows-arm64'
    $UserPath = 'HKCU\Environment'

    function Stop-Here([string] $what, [string] $then) { throw "bir: $what. $then." }

    function Read-Variable([string] $name, [string] $default) {
        $value = [Environment]::GetEnvironmentVariable($name)
        if ($value) { $value } else { $default }
    }

    # --- For whom and for what ---

    function Get-Target {
        if ([Environment]::OSVersion.Platform -ne 'Win32NT') { Stop-Here 'this is not Windows' 'Run install.sh' }
        # The machine's own word: a translated PowerShell has another one in its environment.
        $key = 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Environment'
        $processor = (Get-ItemProperty -LiteralPath $key).PROCESSOR_ARCHITECTURE
        $cpus = @{ AMD64 = 'x64'; ARM64 = 'arm64' }
        $target = "windows-$($cpus[$processor])"
        if (($Targets -split ' ') -notcontains $target) {
            Stop-Here "there is no bir for a processor of the kind $processor" 'It runs on x64 and arm64'
        }
        $target
    }

    # --- Where it comes from ---

    function Get-Release {
        $release = Read-Variable 'BIR_BASE_URL' $ReleaseUrl
        if (-not $release) {
            Stop-Here 'no release of bir is published yet' ('Make one, `npx --yes bun@1.4.5 run build --all`, and set ' +
                'BIR_BASE_URL to its folder, dist\release, or to a URL of a copy')
        }
        if ($release -match '[\x00-\x1f\x7f]') { Stop-Here 'BIR_BASE_URL has a control character in it' 'Write a folder or an https:// URL' }
        if ($release -cmatch '^https?://') {
            # Not quoted in the message: it may hold a password.
            if ($release -match '[?# ]') { Stop-Here 'BIR_BASE_URL has a ?, a # or a space in it' 'Write the URL of a folder alone' }
            $server = ($release -split '/')[2]
            if ($server -match '@') { Stop-Here 'BIR_BASE_URL has a user in it' 'Write it without: other users see the arguments of programs' }
            if ($release -cmatch '^http://' -and $server -notmatch '^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$') {
                Stop-Here 'BIR_BASE_URL begins with http://' 'Only https:// is taken, except from this machine itself'
            }
            return $release.TrimEnd('/')
        }
        if ($release -match '^file://(localhost)?/(.*)$') {
            $release = $Matches[2]
            if ($release -match '%') { Stop-Here 'BIR_BASE_URL has a % in it' 'Write the path of the folder as it is' }
        }
        elseif ($release -match '^[A-Za-z][A-Za-z0-9+.-]*://') {
            Stop-Here 'BIR_BASE_URL is no kind of URL that is taken' 'Write a folder or an https:// URL'
        }
        if (-not (Test-Path -LiteralPath $release -PathType Container)) {
            Stop-Here "there is no folder $release" 'Set BIR_BASE_URL to the folder of a release'
        }
        (Resolve-Path -LiteralPath $release).ProviderPath.TrimEnd('\')
    }

    function Get-ReleaseFile([string] $place, [string] $name, [string] $path) {
        if ($place -cnotmatch '^https?://') {
            $from = Join-Path $place $name
            if (-not (Test-Path -LiteralPath $from -PathType Leaf)) {
                Stop-Here "there is no $name in $place" 'Set BIR_BASE_URL to the folder of a release'
            }
            Copy-Item -LiteralPath $from -Destination $path
            return
        }
        $curl = Join-Path $env:SystemRoot 'System32\curl.exe'
        if (-not (Test-Path -LiteralPath $curl)) { Stop-Here 'this Windows has no curl.exe' 'Set BIR_BASE_URL to a folder' }
        $scheme = if ($place -cmatch '^https://') { '--proto', '=https', '--tlsv1.2', '--location', '--max-redirs', '5' }
        else { '--proto', '=http', '--noproxy', '*' }
        & $curl @scheme --silent --show-error --fail --connect-timeout $timeoutSeconds --speed-limit 1 --speed-time $timeoutSeconds --output $path "$place/$name"
        if ($LASTEXITCODE -ne 0) {
            Stop-Here "$place/$name could not be got" 'What is above says why; what was installed before is as it was'
        }
    }

    # --- Where it goes ---

    function Resolve-Directory([string] $path) {
        # Not against the directory of the process, which PowerShell does not change.
        $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($path).TrimEnd('\')
    }

    function Read-Receipt {
        if (-not (Test-Path -LiteralPath $receiptPath)) { return $null }
        try { $read = [IO.File]::ReadAllText($receiptPath) | ConvertFrom-Json } catch { return $null }
        if (-not $read -or -not $read.PSObject.Properties['format']) { return $null }
        if ($read.format -ne 1) { Stop-Here "$receiptPath is none that this script can read" 'Take the newest install.ps1' }
        $read
    }

    # Its missing parents too, the outermost first; each one that is made is noted.
    function New-Directory([string] $path) {
        if (-not $path -or (Test-Path -LiteralPath $path -PathType Container)) { return }
        New-Directory ([IO.Path]::GetDirectoryName($path))
        [void][IO.Directory]::CreateDirectory($path)
        [void]$made.Add($path)
    }

    # --- The executable ---

    function Get-Sum([string] $path) { (Get-FileHash -LiteralPath $path -Algorithm SHA256).Hash.ToLowerInvariant() }

    function Get-RightSum([string] $sums) {
        foreach ($line in [IO.File]::ReadAllLines($sums)) {
            if ($line -cmatch '^([0-9a-f]{64}) [ *](.+)$' -and $Matches[2] -ceq $file) { return $Matches[1] }
        }
        Stop-Here "SHA256SUMS in $place does not name $file" 'Another release may have it'
    }

    function Get-Version([string] $path) {
        $says = ''
        $status = 1
        try {
            $says = [string](& $path --version)
            $status = $LASTEXITCODE
        }
        catch { $status = 1 }
        if ($status -ne 0 -or $says -notmatch '^[0-9A-Za-z.+-]+$') {
            Stop-Here 'the new bir does not run on this machine' 'This system may be too old for it'
        }
        if ($version -and $says -ne $version) { Stop-Here "this is bir $says, not $version" "It is not installed; see what lies in $place" }
        $says
    }

    # A running program's file can be renamed, not replaced: it waits under another name.
    function Set-Executable([string] $next) {
        Get-ChildItem -LiteralPath $directory -Filter 'bir.exe.old-*' | Remove-Item -Force -ErrorAction SilentlyContinue
        if (-not (Test-Path -LiteralPath $executable)) { [IO.File]::Move($next, $executable); return }
        $old = "$executable.old-$PID-$([DateTime]::UtcNow.Ticks)"
        [IO.File]::Move($executable, $old)
        try { [IO.File]::Move($next, $executable) }
        catch { [IO.File]::Move($old, $executable); throw }
        Remove-Item -LiteralPath $old -Force -ErrorAction SilentlyContinue
    }

    # --- Path ---

    function Test-OnPath([string] $path) { @($path -split ';' | ForEach-Object { $_.TrimEnd('\') }) -contains $directory }

    function Open-UserEnvironment { [Microsoft.Win32.Registry]::CurrentUser.OpenSubKey('Environment', $true) }

    # Variables in it stay as they are written.
    function Get-UserPath { [string](Open-UserEnvironment).GetValue('Path', '', 'DoNotExpandEnvironmentNames') }

    function Add-ToUserPath {
        $key = Open-UserEnvironment
        $old = Get-UserPath
        if ($old) { $key.SetValue('Path', "$directory;$old", $key.GetValueKind('Path')) }
        else { $key.SetValue('Path', $directory, 'ExpandString') }
        # Tells programs that run, as any change of a variable by this call does.
        [Environment]::SetEnvironmentVariable('BIR_PATH_CHANGED', $null, 'User')
    }

    # --- The receipt: the one that install.sh writes ---

    function Join-List($before, [string] $name, [string[]] $new) {
        $old = if ($before -and $before.PSObject.Properties[$name]) { @($before.$name) } else { @() }
        , @(@($old) + @($new) | Where-Object { $_ } | Select-Object -Unique)
    }

    # In the layout that install.sh reads line by line, which ConvertTo-Json of 5.1 does not keep to.
    function Write-Receipt($before, [string] $says, [string] $sum, [string[]] $pathFiles) {
        $text = { param($value) '"' + $value.Replace('\', '\\').Replace('"', '\"') + '"' }
        $lines = @('{', '  "format": 1,')
        foreach ($pair in @(@('version', $says), @('target', $target), @('executable', $executable), @('sha256', $sum), @('baseUrl', $release))) {
            $lines += "  `"$($pair[0])`": $(& $text $pair[1]),"
        }
        $lists = @(@('madeDirectories', @($made)), @('pathFiles', $pathFiles), @('pathFilesMade', @()), @('pathFilesGivenLineEnd', @()))
        foreach ($pair in $lists) {
            $items = Join-List $before $pair[0] $pair[1]
            $comma = if ($pair[0] -eq 'pathFilesGivenLineEnd') { '' } else { ',' }
            if ($items.Count -eq 0) { $lines += "  `"$($pair[0])`": []$comma"; continue }
            $lines += "  `"$($pair[0])`": ["
            $lines += (@($items | ForEach-Object { '    ' + (& $text $_) }) -join ",`n")
            $lines += "  ]$comma"
        }
        $draft = "$receiptPath.$PID"
        # UTF-8 without a byte order mark.
        [IO.File]::WriteAllText($draft, (($lines + '}') -join "`n") + "`n")
        if (Test-Path -LiteralPath $receiptPath) { [IO.File]::Replace($draft, $receiptPath, [NullString]::Value) }
        else { [IO.File]::Move($draft, $receiptPath) }
    }

    # --- What it does ---

    $target = Get-Target
    $file = "bir-$target.exe"
    $release = Get-Release
    $version = (Read-Variable 'BIR_VERSION' '') -replace '^v', ''
    if ($version -and $version -notmatch '^[0-9A-Za-z][0-9A-Za-z.+-]*$') { Stop-Here 'BIR_VERSION is no version' 'Write one such as 0.1.0' }
    $place = if ($version) { "$release/v$version" } else { $release }
    $timeout = Read-Variable 'BIR_DOWNLOAD_TIMEOUT_MS' '30000'
    if ($timeout -notmatch '^[1-9][0-9]{0,8}$') { Stop-Here 'BIR_DOWNLOAD_TIMEOUT_MS is no number of milliseconds' 'Write digits alone' }
    $timeoutSeconds = [int][Math]::Ceiling([int]$timeout / 1000)

    $birHome = Resolve-Directory (Read-Variable 'BIR_HOME' (Join-Path $HOME '.baseinstrunner'))
    $receiptPath = Join-Path $birHome 'receipt.json'
    $before = Read-Receipt
    $standing = if ($before -and (Test-Path -LiteralPath $before.executable)) { $before.executable } else { '' }
    $default = if ($standing) { [IO.Path]::GetDirectoryName($standing) } else { Join-Path $HOME '.local\bin' }
    $directory = Resolve-Directory (Read-Variable 'BIR_INSTALL_DIR' $default)
    $executable = Join-Path $directory 'bir.exe'
    if ($standing -and $standing -ne $executable) {
        Stop-Here "bir is installed already, as $standing" ('Hosts may start it from there: leave BIR_INSTALL_DIR unset to ' +
            'renew it, or run `bir self uninstall` first')
    }
    if ((Test-Path -LiteralPath $executable) -and -not $standing) {
        Stop-Here "$executable is there already" 'Move it away, or set BIR_INSTALL_DIR'
    }

    $made = New-Object System.Collections.ArrayList
    $scratch = ''
    $finished = $false
    try {
        New-Directory $directory
        New-Directory $birHome
        $scratch = Join-Path $directory ".bir-install.$PID"
        [void][IO.Directory]::CreateDirectory($scratch)
        $sums = Join-Path $scratch 'SHA256SUMS'
        Get-ReleaseFile $place 'SHA256SUMS' $sums
        $right = Get-RightSum $sums
        $isNew = -not ((Test-Path -LiteralPath $executable) -and (Get-Sum $executable) -eq $right)
        if ($isNew) {
            $next = Join-Path $scratch 'bir.exe'
            Write-Output "Getting $place/$file ..."
            Get-ReleaseFile $place $file $next
            if ((Get-Sum $next) -ne $right) {
                Stop-Here "$file of $place has another checksum than SHA256SUMS says" 'It is not installed; try again, then tell who gave it to you'
            }
            $says = Get-Version $next
            Set-Executable $next
        }
        else { $says = Get-Version $executable }
        Write-Receipt $before $says $right @()
        $finished = $true
    }
    finally {
        if ($scratch) { Remove-Item -LiteralPath $scratch -Recurse -Force -ErrorAction SilentlyContinue }
        if (-not $finished) {
            # Directories that were made for nothing, the innermost first. One that is not empty stays.
            for ($at = $made.Count - 1; $at -ge 0; $at--) { try { [IO.Directory]::Delete($made[$at]) } catch { break } }
        }
    }

    $isLeft = (Read-Variable 'BIR_NO_MODIFY_PATH' '0') -ne '0'
    if ($isNew) { Write-Output "bir $says is installed: $executable" } else { Write-Output "bir $says was installed already: $executable" }
    if (-not (Test-OnPath $env:Path)) {
        if ($isLeft -or $directory -match ';') { Write-Output "Put $directory on your Path yourself." }
        elseif (-not (Test-OnPath (Get-UserPath))) {
            # Written down before it is done, so that it can be taken back whatever happens.
            Write-Receipt (Read-Receipt) $says $right @($UserPath)
            Add-ToUserPath
            Write-Output "Path: $directory, in new terminals"
        }
        $quoted = $directory.Replace("'", "''")
        Write-Output "In this terminal, first:  `$env:Path = '$quoted;' + `$env:Path"
    }
    Write-Output ''
    Write-Output 'Next:'
    Write-Output '  bir install           has the MCP servers of the hosts on this machine recorded (--dry-run shows what it would change)'
    Write-Output '  bir view              after your host has used one: what was called, and what came back, in a browser'
    Write-Output '  bir run show          the same in the terminal: the latest run'
    Write-Output '  bir self uninstall    takes it all away again'
}

& { Install-Bir }
