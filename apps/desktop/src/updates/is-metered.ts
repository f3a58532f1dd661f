import { powerShell, runProgram } from '../links/links.ts';

const COST =
  '[void][Windows.Networking.Connectivity.NetworkInformation,Windows,ContentType=WindowsRuntime];' +
  '[Windows.Networking.Connectivity.NetworkInformation]::GetInternetConnectionProfile().GetConnectionCost().NetworkCostType.ToString()';

/** How a system is asked whether the network is paid by volume, and what it answers then. */
function questionOf(platform: string, env: NodeJS.ProcessEnv) {
  // NMMetered: 1 is yes, 3 a guess that it is (NetworkManager's D-Bus API).
  if (platform === 'linux') {
    const manager = ['org.freedesktop.NetworkManager', '/org/freedesktop/NetworkManager'];
    const property = ['org.freedesktop.NetworkManager', 'Metered'];
    return {
      program: 'busctl',
      args: ['--system', '--timeout=5', 'get-property', ...manager, ...property],
      yes: /^u [13]\s*$/,
    };
  }
  // NetworkCostType: paid by volume are Fixed and Variable (Windows.Networking.Connectivity).
  if (platform === 'win32')
    return {
      program: powerShell(env),
      args: ['-NoProfile', '-NonInteractive', '-Command', COST],
      yes: /^(?:Fixed|Variable)\s*$/,
    };
  return null;
}

/**
 * Whether the network of this computer is paid by volume, as its system says. False where the system does not say, as on macOS.
 * @param run runs a program of the system
 */
export async function isMetered(
  platform: string,
  env: NodeJS.ProcessEnv,
  run: typeof runProgram = runProgram,
): Promise<boolean> {
  const question = questionOf(platform, env);
  if (!question) return false;
  return run(question.program, question.args).then(
    ({ stdout }) => question.yes.test(stdout),
    () => false,
  );
}
