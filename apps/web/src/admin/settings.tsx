import type { SettingsInForce } from '@svc/contracts';
import { Card, Loaded } from '../account/parts.tsx';
import { useRead } from '../account/use-store.ts';
import { useAsked } from './address.ts';
import { type Column, DataTable } from './data-table.tsx';
import { Filters } from './list.tsx';
import { sorted, sortingOf } from './sort.ts';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.settings;

type Setting = SettingsInForce['settings'][number];

const originOf = ({ given }: Setting): string => (given ? MESSAGES.given : MESSAGES.isDefault);

/** By what each column sorts. */
const KEYS: Readonly<Record<string, (setting: Setting) => string>> = {
  name: ({ name }) => name,
  value: ({ value }) => value,
  from: originOf,
};

const COLUMNS: readonly Column<Setting>[] = [
  { label: MESSAGES.name, sort: 'name', cell: ({ name }) => <code>{name}</code> },
  {
    label: MESSAGES.value,
    sort: 'value',
    cell: ({ value, secret }) =>
      value === '' || secret ? <span className="soft">{value || MESSAGES.empty}</span> : <code>{value}</code>,
  },
  { label: MESSAGES.from, sort: 'from', cell: originOf },
];

/** Those that have a text in their name, value or origin. */
const matching = (settings: readonly Setting[], text: string): Setting[] =>
  settings.filter((setting) =>
    [setting.name, setting.value, originOf(setting)].some((part) =>
      part.toLowerCase().includes(text.toLowerCase()),
    ),
  );

/** The settings in force, without their secrets. */
export function Settings() {
  const settings = useRead<SettingsInForce>('/api/admin/settings');
  const asked = useAsked(['q', 'sort', 'direction']);
  const sorting = sortingOf(asked, { sort: 'name', direction: 'asc' });
  return (
    <>
      <h1>{MESSAGES.title}</h1>
      <Filters>
        <label>
          {MESSAGES.q}
          <input type="search" name="q" defaultValue={asked.q} maxLength={80} />
        </label>
      </Filters>
      <Card>
        <p className="soft">{MESSAGES.hint}</p>
        <Loaded query={settings}>
          {({ settings: all }) => {
            const rows = matching(all, asked.q ?? '');
            return rows.length === 0 ? (
              <p>{WORDS.none}</p>
            ) : (
              <DataTable
                label={MESSAGES.title}
                columns={COLUMNS}
                rows={sorted(rows, sorting, KEYS[sorting.sort] ?? (({ name }) => name))}
                keyOf={({ name }) => name}
                sorting={sorting}
              />
            );
          }}
        </Loaded>
      </Card>
    </>
  );
}
