import { POLICY } from '../../apps/store/src/composition/settings/policy-file.ts';
import type { Setting } from '../../apps/store/src/composition/settings/setting.ts';
import { SETTINGS } from '../../apps/store/src/composition/settings/table.ts';
import { withBlocks } from './block.ts';

const linkTo = (section: string | undefined): string => (section ? `: [more](${`../${section}`})` : '');

const rowOf = ({ variable, doc, more, otherwise, unset }: Setting): string =>
  `| \`${variable}\` | ${doc}${linkTo(more)} | ${otherwise ?? `\`${unset}\``} |`;

const settings = (): string =>
  [
    '| variable | meaning | when not set |',
    '|---|---|---|',
    ...Object.values<Setting>(SETTINGS).map(rowOf),
  ].join('\n');

const policy = (): string =>
  [
    '| key | meaning | when left out |',
    '|---|---|---|',
    ...Object.entries(POLICY).map(([key, { doc, otherwise }]) => `| \`${key}\` | ${doc} | ${otherwise} |`),
  ].join('\n');

/** Generates the table of settings in docs/reference/settings.md, and that of the policy in docs/reference/policy-keys.md. */
export const generateSettings = async (): Promise<Map<string, string>> =>
  new Map([
    await withBlocks('docs/reference/settings.md', { settings: settings() }),
    await withBlocks('docs/reference/policy-keys.md', { policy: policy() }),
  ]);
