import type { SettingsInForce } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { EmptyState, Loaded, Rows } from '@svc/ui';
import { Card } from '../account/parts.tsx';
import { useRead } from '../account/use-store.ts';
import { useParams } from '../address.ts';
import { hasExtension } from '../extensions/has.ts';
import { Filters, SearchField } from './list.tsx';

type Setting = SettingsInForce['settings'][number];

/** The groups of settings, by what their names begin with; the last one has all others. */
const GROUPS = [
  ['Sign-in and access', /^(?:SVC_(?:SIGN|PUBLISHERS|READ|SESSION|ADMIN|METRICS|ACCESS)|providers)/],
  ['Reviews and policy', /^(?:SVC_(?:POLICY|PROBE|CI_|ATTESTATION|LOCAL|SECURITY)|policy\.)/],
  ['Mail', /^SVC_(?:SMTP|MAIL)/],
  ['Storage', /^SVC_(?:DATA|DATABASE|BLOBS|ACCEL|BUNDLE|SETTINGS|POSTGRES)/],
  ['Name and logo', /^SVC_STORE_/],
  ['Network and process', /^/],
] as const;

const groupOf = ({ name }: Setting): string => GROUPS.find(([, names]) => names.test(name))?.[0] ?? '';

/** The settings of which name, value or explanation contain a text. */
const matching = (settings: readonly Setting[], text: string): Setting[] =>
  settings.filter(({ name, value, about }) =>
    `${name} ${value} ${about}`.toLowerCase().includes(text.toLowerCase()),
  );

/** What a setting is for, as a sentence without markup. */
const sentenceOf = (about: string): string => {
  const text = about.replaceAll('`', '');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const Value = ({ setting: { value, secret } }: { setting: Setting }) =>
  value === '' || secret ? <span className="soft">{value || 'none'}</span> : <code>{value}</code>;

const SettingRows = ({ settings }: { settings: readonly Setting[] }) => (
  <Rows of={settings}>
    {(setting) => (
      <li key={setting.name}>
        <div>
          <p>{sentenceOf(setting.about)}</p>
          <code className="soft">{setting.name}</code>
        </div>
        <span className="plain">
          <Value setting={setting} />
        </span>
      </li>
    )}
  </Rows>
);

/** The settings of a group: those that the operator set, and the defaults behind a disclosure unless they are searched. */
function Group({ title, settings, isOpen }: { title: string; settings: Setting[]; isOpen: boolean }) {
  const { true: given = [], false: defaults = [] } = Object.groupBy(settings, (one) => `${one.given}`);
  return (
    <Card title={title}>
      {given.length === 0 ? null : <SettingRows settings={given} />}
      {defaults.length === 0 ? null : (
        <details open={isOpen || undefined}>
          <summary>{given.length === 0 ? 'All are the defaults' : `${defaults.length} defaults`}</summary>
          <SettingRows settings={defaults} />
        </details>
      )}
    </Card>
  );
}

/** The settings in effect, without secrets: grouped, and those that differ from the default first. */
export function Settings() {
  const settings = useRead(apiRequest('GET /api/admin/settings'));
  const { q = '' } = useParams(['q']);
  return (
    <>
      <h1>Settings in effect</h1>
      <p className="soft">
        Read when this process started. Secrets are never shown. Administrators choose{' '}
        {hasExtension('brand') ? (
          <>
            <a href="/setup/brand">name, logo and accent</a>, and{' '}
          </>
        ) : null}
        <a href="/setup/access">who may sign up, publish and read, and how roles sign in</a>.
      </p>
      <Filters>
        <SearchField label="Search by name, value or effect" name="q" defaultValue={q} maxLength={80} />
      </Filters>
      <Loaded query={settings}>
        {({ settings: all }) => {
          const groups = Object.groupBy(matching(all, q), groupOf);
          const shown = GROUPS.flatMap(([title]) => {
            const group = groups[title];
            return group ? [[title, group] as const] : [];
          });
          return shown.length === 0 ? (
            <EmptyState icon="search-x" title="No results" />
          ) : (
            shown.map(([title, group]) => (
              <Group key={title} title={title} settings={group} isOpen={q !== ''} />
            ))
          );
        }}
      </Loaded>
    </>
  );
}
