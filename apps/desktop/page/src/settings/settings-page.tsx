import { Copyable, ErrorMessage, Loaded, TabNav } from '@svc/ui';
import type { FormEvent, ReactNode } from 'react';
import type { DesktopCalls } from '../../../src/wire/calls.ts';
import { Models } from '../chat/models.tsx';
import { AgentSettings } from '../more/agent-settings.tsx';
import { PreApprovals } from '../more/pre-approvals.tsx';
import { Projects } from '../more/projects.tsx';
import { Facts, Heading, Section } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { LinksSetting } from '../store/links.tsx';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
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
function FromClient({ children }: { children: (client: DesktopCalls['client.show']['out']) => ReactNode }) {
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
      <Session />
    </Section>
  );
}

/** How the desktop is signed in to the store, where only members may read it. */
function Session() {
  const session = useDesktopQuery('client.storeSession', {});
  const end = useDesktopMutation('client.signOut');
  return (
    <Loaded query={session}>
      {({ by }) => (
        <>
          <p className="soft">{WORDS.storeSession.by[by ?? 'none']}</p>
          {by === 'desktop' ? (
            <div className="buttons">
              <button type="button" disabled={end.isPending} onClick={() => end.mutate({})}>
                {WORDS.storeSession.signOut}
              </button>
            </div>
          ) : null}
          <ErrorMessage error={end.error} />
        </>
      )}
    </Loaded>
  );
}

/** The hosts and networks inside a company that apps may reach, unless the operator of the machine sets them. */
function PrivateNetworks() {
  const save = useDesktopMutation('client.saveNetworks');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get('networks') ?? '');
    save.mutate({ entries: text.split(/[\s,]+/).filter((entry) => entry !== '') });
  };
  return (
    <Section title={MESSAGES.networks.title}>
      <FromClient>
        {({ privateNetworks, givenNetworks }) =>
          givenNetworks ? (
            <>
              <p className="soft">{MESSAGES.networks.fixed}</p>
              <ul>
                {givenNetworks.map((entry) => (
                  <li key={entry}>
                    <code>{entry}</code>
                  </li>
                ))}
              </ul>
            </>
          ) : (
            <form className="fields" onSubmit={submit}>
              <label htmlFor="networks">{MESSAGES.networks.label}</label>
              <textarea
                id="networks"
                name="networks"
                rows={4}
                spellCheck={false}
                aria-describedby="networks-hint"
                placeholder={'*.corp.example\n10.20.0.0/16'}
                key={privateNetworks.join()}
                defaultValue={privateNetworks.join('\n')}
              />
              <p id="networks-hint" className="soft">
                {MESSAGES.networks.hint}
              </p>
              <div className="buttons">
                <button type="submit" className="main" disabled={save.isPending}>
                  {MESSAGES.networks.save}
                </button>
              </div>
              <p role="status" className="good">
                {save.isSuccess ? MESSAGES.networks.saved : ''}
              </p>
              <ErrorMessage error={save.error} />
            </form>
          )
        }
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
  store: () => (
    <>
      <StoreAddress />
      <PrivateNetworks />
    </>
  ),
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
