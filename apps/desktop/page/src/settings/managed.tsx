import { Facts, Loaded } from '@svc/ui';
import { Section } from '../parts/parts.tsx';
import { useDesktopQuery } from '../wire/use-desktop.ts';
import type { SectionName } from './sections.ts';

const FROM = { machine: 'on this computer', store: 'by its store' };

/** The settings that are shown beside what users set themselves. The section of the store has all. */
const BESIDE: Partial<Record<SectionName, readonly string[]>> = {
  models: ['allowedProviders', 'allowedModels'],
  approvals: ['allowedAgents'],
  data: ['exportChats'],
};

/** What the company set, in the sections that it concerns. */
export function ManagedSettings({ section }: { section: SectionName }) {
  if (section === 'store') return <All />;
  const keys = BESIDE[section];
  return keys ? <Beside keys={keys} /> : null;
}

type Shown = { key: string; from: keyof typeof FROM; title: string; text: string };

const listOf = (settings: readonly Shown[]) => (
  <Facts
    facts={settings.map(({ key, from, title, text }) => [
      title,
      <span key={`${key} ${from}`}>
        {text} <span className="soft">(set {FROM[from]})</span>
      </span>,
    ])}
  />
);

function Beside({ keys }: { keys: readonly string[] }) {
  return (
    <Loaded query={useDesktopQuery('client.show', {})}>
      {({ managed }) => {
        const settings = managed?.settings.filter(({ key }) => keys.includes(key)) ?? [];
        return settings.length > 0 && <Section title="Set by your company">{listOf(settings)}</Section>;
      }}
    </Loaded>
  );
}

function All() {
  return (
    <Loaded query={useDesktopQuery('client.show', {})}>
      {({ managed }) =>
        managed && (
          <Section title="Set by your company">
            {listOf(managed.settings)}
            {managed.ofStore && managed.ofStore.changedAt === null ? (
              <p className="soft">
                Waiting for the settings of your company’s store. Until they arrive, nothing that they could
                refuse is allowed.
              </p>
            ) : null}
            {managed.ofStore?.refused ? (
              <p role="status">
                The store’s settings could not be updated ({managed.ofStore.refused}). The last accepted ones
                stay in force.
              </p>
            ) : null}
            {managed.ofStore && managed.ofStore.unknown.length > 0 ? (
              <p role="status">
                This version does not know these settings: {managed.ofStore.unknown.join(', ')}. Update svc
                desktop.
              </p>
            ) : null}
            {managed.problems.map(({ of, message }) => (
              <p key={of} role="status">
                {of} is required and could not be set up: {message}
              </p>
            ))}
          </Section>
        )
      }
    </Loaded>
  );
}
