import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Longest time for an answer, in milliseconds. */
const ASK_MS = 10_000;

/** How a system is asked whether the network is paid by volume, and what it answers then. */
type Question = { program: string; args: readonly string[]; yes: RegExp };

const QUESTIONS: Readonly<Partial<Record<string, Question>>> = {
  // NMMetered: 1 is yes, 3 a guess that it is (NetworkManager's D-Bus API).
  linux: {
    program: 'busctl',
    args: [
      ...['--system', '--timeout=5', 'get-property', 'org.freedesktop.NetworkManager'],
      ...['/org/freedesktop/NetworkManager', 'org.freedesktop.NetworkManager', 'Metered'],
    ],
    yes: /^u [13]\s*$/,
  },
  // NetworkCostType: paid by volume are Fixed and Variable (Windows.Networking.Connectivity).
  win32: {
    program: 'powershell.exe',
    args: [
      ...['-NoProfile', '-NonInteractive', '-Command'],
      '[void][Windows.Networking.Connectivity.NetworkInformation,Windows,ContentType=WindowsRuntime];' +
        '[Windows.Networking.Connectivity.NetworkInformation]::GetInternetConnectionProfile().GetConnectionCost().NetworkCostType.ToString()',
    ],
    yes: /^(?:Fixed|Variable)\s*$/,
  },
};

/**
 * Whether the network of this computer is paid by volume, as its system says. False where the system does not say, as on macOS.
 * @param env of which the programs are found by `PATH`
 */
export async function isMetered(platform: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const question = QUESTIONS[platform];
  if (!question) return false;
  const options = { env, timeout: ASK_MS, maxBuffer: 65_536, windowsHide: true };
  return promisify(execFile)(question.program, [...question.args], options).then(
    ({ stdout }) => question.yes.test(stdout),
    () => false,
  );
}
