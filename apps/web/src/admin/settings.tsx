import type { SettingsInForce } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { Loaded } from '@svc/ui';
import { Card } from '../account/parts.tsx';
import { useRead } from '../account/use-store.ts';
import { Webhooks } from '../account/webhooks.tsx';
import { useParams } from './address.ts';
import { type Column, DataTable } from './data-table.tsx';
import { Filters, SearchField } from './list.tsx';
import { sorted, sortingOf } from './sort.ts';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.settings;

type Setting = SettingsInForce['settings'][number];

const originOf = ({ given }: Setting): string => (given ? MESSAGES.given : MESSAGES.isDefault);

/** The sort key of each column. */
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
  { label: MESSAGES.source, sort: 'from', cell: originOf },
];

/** The settings whose name, value or source contains a text. */
const matching = (settings: readonly Setting[], text: string): Setting[] =>
  settings.filter((setting) =>
    [setting.name, setting.value, originOf(setting)].some((part) =>
      part.toLowerCase().includes(text.toLowerCase()),
    ),
  );

/** The settings in effect, without secrets. */
export function Settings() {
  const settings = useRead(apiRequest('GET /api/admin/settings'));
  const params = useParams(['q', 'sort', 'direction']);
  const sorting = sortingOf(params, { sort: 'name', direction: 'asc' });
  return (
    <>
      <h1>{MESSAGES.title}</h1>
      <Filters>
        <SearchField label={MESSAGES.q} name="q" defaultValue={params.q} maxLength={80} />
      </Filters>
      <Card>
        <p className="soft">{MESSAGES.hint}</p>
        <Loaded query={settings}>
          {({ settings: all }) => {
            const rows = matching(all, params.q ?? '');
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
      <Webhooks />
    </>
  );
}
