import type { Emergency, EmergencyPreview, NewEmergency } from '@svc/contracts';
import { count } from '@svc/text/quantity';
import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connectAsDeveloper, type StoreOption } from '../connect.ts';
import { usageError } from '../failure.ts';
import { escapeText, jsonLine } from '../present/text.ts';

type EmergencyOptions = StoreOption & {
  reason?: string;
  advice?: string;
  suspendMembers?: string;
  dryRun?: boolean;
  undo?: string;
  yank: boolean;
  suspend: boolean;
  tokens: boolean;
  sessions: boolean;
  json?: boolean;
};

const ADVICE = ['disconnect-accounts', 'rotate-keys', 'uninstall'] as const;

/** Ids of apps have two segments at least, slugs of publishers have no dot. */
const targetOf = (id: string) => (id.includes('.') ? { appId: id } : { publisher: id });

function adviceOf(text: string | undefined): (typeof ADVICE)[number][] {
  const items = (text ?? '').split(',').filter((item) => item !== '');
  const known = items.flatMap((item) => ADVICE.find((one) => one === item) ?? []);
  if (known.length === items.length) return known;
  throw usageError(`--advice is a list of ${ADVICE.join(', ')}, separated by commas.`);
}

const previewText = ({
  name,
  reach,
  needsSecond,
  people = [],
}: Partial<EmergencyPreview> & Omit<EmergencyPreview, 'people'>): string => {
  const { dependants, ...counts } = reach;
  const lines = Object.entries(counts).map(([name, amount]) => `${name.padEnd(10)} ${amount}`);
  const names = dependants.map(({ appId }) => escapeText(appId)).join(', ');
  return `${[
    `${'publisher'.padEnd(10)} ${escapeText(name)}`,
    ...lines,
    ...people.map(
      ({ id, name: person, role }) =>
        `${'member'.padEnd(10)} ${escapeText(id)}  ${role}, ${escapeText(person)}`,
    ),
    ...(dependants.length > 0 ? [`required by ${names}`] : []),
    needsSecond ? 'A second administrator must confirm.' : 'One administrator is enough.',
  ].join('\n')}\n`;
};

const emergencyText = ({ id, state, effects }: Emergency): string => {
  const did = effects
    ? `: ${count(effects.versionsYanked, 'version')} yanked, ${count(effects.tokensRevoked, 'token')} revoked, ${count(effects.sessionsEnded, 'session')} ended`
    : '';
  return `${state}  ${id}${did}\n`;
};

function requestOf(target: string, options: EmergencyOptions): NewEmergency {
  const reason = options.reason?.trim() ?? '';
  if (reason === '') throw usageError('--reason is required: users and the publisher see it.');
  const { yank, suspend, tokens, sessions } = options;
  const acts = { yank, suspend, revokeTokens: tokens, endSessions: sessions };
  const suspendMembers = (options.suspendMembers ?? '').split(',').filter((id) => id !== '');
  return { ...targetOf(target), ...acts, suspendMembers, reason, advice: adviceOf(options.advice) };
}

/** `svc emergency`: stops a publisher or an app in one act, shows what that would reach, or undoes it. */
export const command = defineCommand<[string], EmergencyOptions>({
  arguments: [{ name: '<target>', help: 'short name of a publisher, or id of an app' }],
  options: [
    { flags: '--reason <text>', help: 'reason, shown to users and to the publisher' },
    { flags: '--advice <list>', help: `what users should do: ${ADVICE.join(', ')}` },
    { flags: '--suspend-members <ids>', help: 'suspend the accounts of these members; --dry-run lists them' },
    { flags: '--dry-run', help: 'show what it reaches, and change nothing' },
    { flags: '--undo <id>', help: 'undo the emergency with this id' },
    { flags: '--no-yank', help: 'do not yank the published versions' },
    { flags: '--no-suspend', help: 'do not suspend the publisher or app' },
    { flags: '--no-tokens', help: 'do not revoke tokens' },
    { flags: '--no-sessions', help: 'do not sign the members out' },
    STORE_OPTION,
    JSON_OPTION,
  ],
  details:
    'For operators: SVC_TOKEN is the SVC_ADMIN_TOKEN of the store. Yanks every published version, suspends, revokes tokens and ends sessions. Above the installs of the policy a second administrator confirms on the page of emergencies.',
  examples: [
    'emergency acme --dry-run',
    'emergency acme --reason "Sends notes to another server" --advice disconnect-accounts,rotate-keys',
  ],
  async run(context, [target], options) {
    const body = options.dryRun || options.undo !== undefined ? null : requestOf(target, options);
    const client = await connectAsDeveloper(context, options);
    if (options.dryRun) {
      const preview = await client.call('GET /api/admin/emergencies/preview', { query: targetOf(target) });
      context.terminal.out(options.json ? jsonLine(preview) : previewText(preview));
      return 0;
    }
    const record = body
      ? await client.call('POST /api/admin/emergencies', { json: body })
      : await client.call('POST /api/admin/emergencies/:id/undo', {
          params: { id: String(options.undo) },
          json: { reason: options.reason?.trim() || 'A mistake.' },
        });
    context.terminal.out(options.json ? jsonLine(record) : emergencyText(record));
    return 0;
  },
});
