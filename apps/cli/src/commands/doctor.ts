import { createColors } from 'picocolors';
import type { CommandContext } from '../command-context.ts';
import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import type { StoreOption } from '../connect.ts';
import { CHECKS, type Finding } from '../doctor/checks.ts';
import { escapeText, jsonLine } from '../present/escape.ts';

type DoctorOptions = StoreOption & { json?: boolean };

const MARKS: Readonly<Record<Finding['level'], string>> = { ok: 'ok', warning: 'warning', error: 'error' };

/**
 * `svc doctor`: checks what svc needs on this machine.
 * @returns 0 when all that is needed works, warnings included, else 1
 */
async function doctor(context: CommandContext, options: DoctorOptions): Promise<number> {
  const { terminal } = context;
  const { green, yellow, red, dim } = createColors(terminal.colour);
  const paint = { ok: green, warning: yellow, error: red };
  const findings: Finding[] = [];
  for (const check of CHECKS) findings.push(await check(context, options.store));
  const isWell = findings.every(({ level }) => level !== 'error');
  if (options.json) terminal.out(jsonLine({ ok: isWell, checks: findings }));
  else
    for (const { name, level, message, fix } of findings) {
      terminal.out(`${paint[level](MARKS[level].padEnd(8))} ${name}: ${escapeText(message)}\n`);
      if (fix !== undefined) terminal.out(`${' '.repeat(9)}${dim(escapeText(fix))}\n`);
    }
  return isWell ? 0 : 1;
}

/** How the command line reads it. */
export const command = defineCommand<[], DoctorOptions>({
  options: [STORE_OPTION, JSON_OPTION],
  details: 'It changes nothing. Exit code 1 says that something which svc needs does not work.',
  examples: ['doctor', 'doctor --store https://store.example.com --json'],
  run: (context, _args, options) => doctor(context, options),
});
