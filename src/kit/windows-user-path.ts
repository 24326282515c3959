/** The `Path` of a user of Windows, which new programs get: a value in the registry, reached by the system's own tool. */

/** What the receipt calls it. */
export const WINDOWS_USER_PATH = "HKCU\\Environment";

/** Keeps the other parts as they are written, unexpanded variables too; its last step tells programs that run. */
const REMOVE = `
$ErrorActionPreference = 'Stop'
$key = [Microsoft.Win32.Registry]::CurrentUser.OpenSubKey('Environment', $true)
$old = [string]$key.GetValue('Path', '', 'DoNotExpandEnvironmentNames')
$kept = @($old -split ';' | Where-Object { $_ -ne $env:BIR_REMOVED_DIRECTORY }) -join ';'
if ($kept) { $key.SetValue('Path', $kept, $key.GetValueKind('Path')) } else { $key.DeleteValue('Path', $false) }
[Environment]::SetEnvironmentVariable('BIR_REMOVED_DIRECTORY', $null, 'User')
'removed'
`;

/** Takes a directory off it; false when that failed. */
export function removeFromUserPath(directory: string): boolean {
  try {
    const command = ["powershell", "-NoProfile", "-NonInteractive", "-Command", REMOVE];
    const { exitCode, stdout } = Bun.spawnSync(command, {
      env: { ...process.env, BIR_REMOVED_DIRECTORY: directory },
      stdio: ["ignore", "pipe", "ignore"],
      windowsHide: true,
    });
    // A stand-in for PowerShell may do nothing and say that all went well.
    return exitCode === 0 && stdout.toString().trim() === "removed";
  } catch {
    return false;
  }
}
