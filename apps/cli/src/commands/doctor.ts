import { createColors } from 'picocolors';
import type { CommandContext } from '../command-context.ts';
import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import type { StoreOption } from '../connect.ts';
import { CHECKS, type Finding } from '../doctor/checks.ts';
import { escapeText, jsonLine } from '../present/escape.ts';

type DoctorOptions = StoreOption & { json?: boolean };

const MARKS: Readonly<Record<Finding['level'], string>> = { ok: 'ok', warning: 'warning', error: 'error' };

/**
 * `svc doctor`: checks the environment of svc on this machine.
 * @returns 0 without errors (warnings allowed), else 1
 */
async function doctor(context: CommandContext, options: DoctorOptions): Promise<number> {
  const { terminal } = context;
  const { green, yellow, red, dim } = createColors(terminal.colour);
  const paint = { ok: green, warning: yellow, error: red };
  const findings: Finding[] = [];
  for (const check of CHECKS) findings.push(await check(context, options.store));
  const isHealthy = findings.every(({ level }) => level !== 'error');
  if (options.json) terminal.out(jsonLine({ ok: isHealthy, checks: findings }));
  else
    for (const { name, level, message, fix } of findings) {
      terminal.out(`${paint[level](MARKS[level].padEnd(8))} ${name}: ${escapeText(message)}\n`);
      if (fix !== undefined) terminal.out(`${' '.repeat(9)}${dim(escapeText(fix))}\n`);
    }
  return isHealthy ? 0 : 1;
}

/** The definition for the command line. */
export const command = defineCommand<[], DoctorOptions>({
  options: [STORE_OPTION, JSON_OPTION],
  details: 'Changes nothing. The exit code is 1 when a check finds an error.',
  examples: ['doctor', 'doctor --store https://store.example.com --json'],
  run: (context, _args, options) => doctor(context, options),
});
