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

type Setting = SettingsInForce['settings'][number];

const originOf = ({ given }: Setting): string => (given ? 'configured' : 'default');

/** The sort key of each column. */
const KEYS: Readonly<Record<string, (setting: Setting) => string>> = {
  name: ({ name }) => name,
  value: ({ value }) => value,
  from: originOf,
};

const COLUMNS: readonly Column<Setting>[] = [
  { label: 'Setting', sort: 'name', cell: ({ name }) => <code>{name}</code> },
  {
    label: 'Value',
    sort: 'value',
    cell: ({ value, secret }) =>
      value === '' || secret ? <span className="soft">{value || 'none'}</span> : <code>{value}</code>,
  },
  { label: 'Source', sort: 'from', cell: originOf },
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
      <h1>Settings in effect</h1>
      <Filters>
        <SearchField label="Name or value contains" name="q" defaultValue={params.q} maxLength={80} />
      </Filters>
      <Card>
        <p className="soft">
          Read when this process started. Secrets are never shown.{' '}
          <a href="/setup/access">Who may sign up, publish and read, and how roles sign in</a> is chosen on a
          page of its own.
        </p>
        <Loaded query={settings}>
          {({ settings: all }) => {
            const rows = matching(all, params.q ?? '');
            return rows.length === 0 ? (
              <p>No results</p>
            ) : (
              <DataTable
                label="Settings in effect"
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
