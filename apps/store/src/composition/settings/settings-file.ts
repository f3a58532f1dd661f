import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { SettingError } from './setting.ts';

const LINE = /^\s*([A-Z][A-Z0-9_]*)\s*=/;

/** A line that is empty or a comment. */
const BLANK_LINE = /^\s*(?:#.*)?$/;

/**
 * Reads a settings file: one `NAME=value` a line, the format of systemd's `EnvironmentFile=` and Docker's `--env-file`.
 * @throws SettingError that names the line, and quotes nothing of it but a name: the value may be a password
 */
export function readSettingsFile(file: string): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new SettingError(`cannot be read: ${(error as { code?: string }).code}`);
  }
  const settings: Record<string, string> = {};
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (BLANK_LINE.test(line)) continue;
    const name = LINE.exec(line)?.[1];
    const value = name === undefined ? undefined : parseEnv(line)[name];
    if (name === undefined || value === undefined)
      throw new SettingError(`cannot be used: line ${i + 1} must be NAME=value`);
    if (name in settings) throw new SettingError(`cannot be used: line ${i + 1} sets ${name} again`);
    settings[name] = value;
  }
  return settings;
}
