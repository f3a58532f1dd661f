import { stat } from 'node:fs/promises';
import type { Command } from './command.ts';

/** Whether the mode of a file lets other users of the machine read it. */
async function isOpenToOthers(file: string | null): Promise<boolean> {
  const stats = file === null ? null : await stat(file).catch(() => null);
  return stats !== null && process.platform !== 'win32' && (stats.mode & 0o077) !== 0;
}

/** `svc-store config check` */
export const configCheck: Command = {
  name: 'config check',
  operands: [],
  options: {},
  summary:
    'read all settings and the files that they name, and report the first error; nothing else is opened',
  async run(_args, { settingsFile }) {
    const warning = (await isOpenToOthers(settingsFile))
      ? ` Other users of this machine can read ${settingsFile}: run chmod 600 on it, as it may contain passwords.`
      : '';
    return `The settings are valid.${warning}`;
  },
};

/** `svc-store config print` */
export const configPrint: Command = {
  name: 'config print',
  operands: [],
  options: {},
  summary: 'print the settings in force and where each comes from; of secrets only whether they are set',
  async run(_args, { settingsInForce, namesInFile }) {
    const lines = settingsInForce.map(({ name, value, given }) => {
      const origin = namesInFile.includes(name) ? 'settings file' : given ? 'given' : 'default';
      return `${name}=${value}  # ${origin}\n`;
    });
    return { print: lines.join('') };
  },
};
