import { stat } from 'node:fs/promises';
import type { Command } from './command.ts';

/** Whether others on the machine can read a file, as far as its rights say. */
async function isOpenToOthers(file: string | null): Promise<boolean> {
  const found = file === null ? null : await stat(file).catch(() => null);
  return found !== null && process.platform !== 'win32' && (found.mode & 0o077) !== 0;
}

/** `svc-store config check` */
export const configCheck: Command = {
  name: 'config check',
  operands: [],
  options: {},
  summary: 'read all settings and the files that they name, and say what is wrong; nothing else is opened',
  async run(_given, { settingsFile }) {
    const warning = (await isOpenToOthers(settingsFile))
      ? ` Others on this machine can read ${settingsFile}: chmod 600 it, as it may hold passwords.`
      : '';
    return `The settings can be used.${warning}`;
  },
};

/** `svc-store config print` */
export const configPrint: Command = {
  name: 'config print',
  operands: [],
  options: {},
  summary: 'print the settings in force, each with where it comes from; of secrets only whether they are set',
  async run(_given, { settingsInForce, namesInFile }) {
    const lines = settingsInForce.map(({ name, value, given }) => {
      const origin = namesInFile.includes(name) ? 'settings file' : given ? 'given' : 'default';
      return `${name}=${value}  # ${origin}\n`;
    });
    return { print: lines.join('') };
  },
};
