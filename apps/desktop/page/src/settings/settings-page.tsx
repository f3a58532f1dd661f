import { Copyable, Loaded, TabNav } from '@svc/ui';
import type { ReactNode } from 'react';
import type { ClientView } from '../../../src/wire/views.ts';
import { Models } from '../chat/models.tsx';
import { AgentSettings } from '../more/agent-settings.tsx';
import { PreApprovals } from '../more/pre-approvals.tsx';
import { Projects } from '../more/projects.tsx';
import { Facts, Heading, Section } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { LinksSetting } from '../store/links.tsx';
import { useDesktopQuery } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';
import { NotificationSettings } from './notification-settings.tsx';
import { SECTIONS, type SectionName } from './sections.ts';
import { chooseTheme, THEMES, useThemeChoice } from './theme.ts';

const MESSAGES = WORDS.settingsPage;

function Appearance() {
  const chosen = useThemeChoice();
  return (
    <Section title={MESSAGES.sections.appearance}>
      <fieldset className="theme-choice">
        <legend>{MESSAGES.theme}</legend>
        {THEMES.map((theme) => (
          <label key={theme} className="choice">
            <input type="radio" name="theme" checked={theme === chosen} onChange={() => chooseTheme(theme)} />
            {MESSAGES.themes[theme]}
          </label>
        ))}
      </fieldset>
    </Section>
  );
}

/** Renders information about the desktop, once it is loaded. */
function FromClient({ children }: { children: (client: ClientView) => ReactNode }) {
  return <Loaded query={useDesktopQuery('client.show', {})}>{children}</Loaded>;
}

/** Settings given at start, and how to start with others. */
function StoreAddress() {
  return (
    <Section title={MESSAGES.sections.store}>
      <FromClient>
        {({ store, localConnectors }) => (
          <>
            <Facts facts={[[MESSAGES.store, <Copyable key="store" name={MESSAGES.store} text={store} />]]} />
            <p className="soft">{MESSAGES.storeHint}</p>
            <Copyable name={MESSAGES.command} text="svc desktop --store https://store.example.com" />
            <p className="soft">{MESSAGES.localConnectors(localConnectors)}</p>
            <LinksSetting />
          </>
        )}
      </FromClient>
    </Section>
  );
}

function DataFolder() {
  return (
    <Section title={MESSAGES.sections.data}>
      <FromClient>
        {({ folder }) => (
          <Facts
            facts={[[MESSAGES.folder, <Copyable key="folder" name={MESSAGES.folder} text={folder} />]]}
          />
        )}
      </FromClient>
      <p className="soft">{MESSAGES.folderHint}</p>
      <ul>
        <li>
          <a href={hashOf('activity')}>{MESSAGES.clearActivity}</a>
        </li>
        <li>
          <a href={hashOf('apps')}>{MESSAGES.removeApps}</a>
        </li>
      </ul>
    </Section>
  );
}

function About() {
  return (
    <Section title={MESSAGES.sections.about}>
      <FromClient>
        {({ name, version, store, folder }) => (
          <Facts
            facts={[
              [MESSAGES.facts.name, name],
              [MESSAGES.facts.version, version],
              [MESSAGES.facts.store, store],
              [MESSAGES.facts.folder, folder],
              [MESSAGES.facts.address, window.location.origin],
            ]}
          />
        )}
      </FromClient>
    </Section>
  );
}

const VIEWS: Readonly<Record<SectionName, () => ReactNode>> = {
  appearance: () => <Appearance />,
  models: () => <Models />,
  projects: () => <Projects />,
  approvals: () => (
    <>
      <AgentSettings />
      <PreApprovals />
    </>
  ),
  notifications: () => <NotificationSettings />,
  store: () => <StoreAddress />,
  data: () => <DataFolder />,
  about: () => <About />,
};

/** The settings, one section at a time. */
export function Settings({ section }: { section: SectionName }) {
  const tabs = SECTIONS.map((id) => ({ label: MESSAGES.sections[id], path: hashOf('settings', id) }));
  return (
    <>
      <Heading>{WORDS.pages.settings}</Heading>
      <TabNav label={WORDS.pages.settings} tabs={tabs} current={hashOf('settings', section)} />
      {VIEWS[section]()}
    </>
  );
}
