import {
  Boundary,
  Button,
  Check,
  Copyable,
  ErrorMessage,
  Facts,
  Fault,
  Form,
  Loaded,
  moment,
  textOf,
} from '@svc/ui';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import type { DesktopCalls } from '../../../src/wire/calls.ts';
import { Instructions } from '../chat/instructions.tsx';
import { Models } from '../chat/models.tsx';
import { AgentSettings } from '../more/agent-settings.tsx';
import { PreApprovals } from '../more/pre-approvals.tsx';
import { Projects } from '../more/projects.tsx';
import { Heading, Section } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { LinksSetting } from '../store/links.tsx';
import { useDesktopMutation, useDesktopQuery } from '../wire/use-desktop.ts';
import { ManagedSettings } from './managed.tsx';
import { currentPermission, isWanted, setWanted } from './notifications.ts';
import { SECTION_TITLES, SECTIONS, type SectionName } from './sections.ts';
import { chooseTheme, THEMES, type ThemeChoice, useThemeChoice } from './theme.ts';
import { Transfer } from './transfer.tsx';

/** Whether this browser shows notifications about questions while the page is hidden. */
function NotificationSettings() {
  const [permission, setPermission] = useState(currentPermission);
  const [wanted, setShown] = useState(isWanted);
  const isOn = permission === 'granted' && wanted;
  const change = async (on: boolean) => {
    setWanted(on);
    setShown(on);
    if (on && permission === 'default') setPermission(await Notification.requestPermission());
  };
  return (
    <Section title="Notifications">
      <Check
        label="Notify me about questions and finished answers while this page is in the background"
        checked={isOn}
        disabled={permission === 'denied'}
        choose={(isOn) => void change(isOn)}
      />
      <p className="soft">
        {permission === 'denied'
          ? 'This browser blocks notifications. Allow them in its settings for this page.'
          : 'Your browser asks for permission once. This setting applies to this browser only.'}
      </p>
    </Section>
  );
}

const SETTINGS_PAGE_THEMES = { system: 'System', light: 'Light', dark: 'Dark' } satisfies Record<
  ThemeChoice,
  string
>;

const BY = {
  none: 'Not signed in to the store.',
  environment: 'Signed in to the store with SVC_TOKEN.',
  login: 'Signed in to the store with svc login.',
  desktop: 'Signed in to the store. This desktop may only see and download its apps.',
};

function Appearance() {
  const chosen = useThemeChoice();
  return (
    <Section title="Appearance">
      <fieldset className="cluster">
        <legend>Theme (this browser only)</legend>
        {THEMES.map((theme) => (
          <Check
            key={theme}
            label={SETTINGS_PAGE_THEMES[theme]}
            type="radio"
            name="theme"
            checked={theme === chosen}
            onChange={() => chooseTheme(theme)}
          />
        ))}
      </fieldset>
    </Section>
  );
}

/** Renders information about the desktop, once it is loaded. */
function FromClient({ children }: { children: (client: DesktopCalls['client.show']['out']) => ReactNode }) {
  return <Loaded query={useDesktopQuery('client.show', {})}>{children}</Loaded>;
}

/** The mirrors of the store, and why one of them is not used now. */
function Mirrors({ mirrors }: Pick<DesktopCalls['client.show']['out'], 'mirrors'>) {
  if (mirrors.length === 0) return null;
  return (
    <>
      <p className="soft">Mirrors, which are asked before the store. What they send is verified.</p>
      <ul>
        {mirrors.map(({ address, left }) => (
          <li key={address}>
            <code>{address}</code>{' '}
            {left === null ? (
              <span className="soft">used</span>
            ) : (
              <span role="status">
                not used since {moment(left.since)}: {left.why}. The next mirror, or the store, is asked.
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Settings given at start, and how to start with others. */
function StoreAddress() {
  return (
    <Section title="Store">
      <FromClient>
        {({ store, localConnectors, mirrors }) => (
          <>
            <Facts facts={[['Store URL', <Copyable key="store" name="Store URL" text={store} />]]} />
            <Mirrors mirrors={mirrors} />
            <p className="soft">
              Set when svc desktop starts. Apps from different stores are not mixed. To use another store,
              run:
            </p>
            <Copyable name="the command" text="svc desktop --store https://store.example.com" />
            <p className="soft">
              {localConnectors
                ? 'You can add connectors on this computer and the local network.'
                : 'Connectors on this computer and the local network are off. Allow them on the page Connectors.'}
            </p>
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
          <p className="soft">{BY[by ?? 'none']}</p>
          {by === 'desktop' ? (
            <div className="buttons">
              <Button label="Sign out of the store" runs={end} onClick={() => end.mutate({})} />
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
  const submit = (data: FormData) =>
    save.mutate({
      entries: textOf(data, 'networks')
        .split(/[\s,]+/)
        .filter((entry) => entry !== ''),
    });
  return (
    <Section title="Private networks">
      <FromClient>
        {({ privateNetworks, givenNetworks }) =>
          givenNetworks ? (
            <>
              <p className="soft">
                The operator of this computer sets the hosts and networks inside the company that apps may
                reach:
              </p>
              <ul>
                {givenNetworks.map((entry) => (
                  <li key={entry}>
                    <code>{entry}</code>
                  </li>
                ))}
              </ul>
            </>
          ) : (
            <Form
              action="Save"
              busy={save.isPending}
              submit={submit}
              status={save.isSuccess ? 'Saved.' : ''}
              error={save.error}
            >
              <label htmlFor="networks">Hosts and networks inside your company that apps may reach</label>
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
                One a line, such as *.corp.example or 10.20.0.0/16. Apps reach the public Internet without
                being named here, and never this computer.
              </p>
            </Form>
          )
        }
      </FromClient>
    </Section>
  );
}

function DataFolder() {
  return (
    <Section title="Data">
      <FromClient>
        {({ folder }) => (
          <Facts facts={[['Folder', <Copyable key="folder" name="Folder" text={folder} />]]} />
        )}
      </FromClient>
      <p className="soft">
        Contains apps, projects, conversations, activity and the encrypted token vault. Only you can read it.
        To use another folder, start with --folder.
      </p>
      <Transfer />
      <ul>
        <li>
          <a href={hashOf('activity')}>Clear activity</a>
        </li>
        <li>
          <a href={hashOf('apps')}>Remove apps with their accounts and files</a>
        </li>
      </ul>
    </Section>
  );
}

function About() {
  return (
    <Section title="About">
      <FromClient>
        {({ name, version }) => (
          <Facts
            facts={[
              ['Name', name],
              ['Version', version],
              ['Address', window.location.origin],
            ]}
          />
        )}
      </FromClient>
    </Section>
  );
}

const VIEWS: Readonly<Record<SectionName, () => ReactNode>> = {
  appearance: () => <Appearance />,
  models: () => (
    <>
      <Section title="Models">
        <Models />
      </Section>
      <Section title="Instructions">
        <Instructions />
      </Section>
    </>
  ),
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

/** Whether a part of the settings has all words of a search, also in the names of its fields. */
function hasWords(part: HTMLElement, words: string): boolean {
  const said = part.textContent.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => said.includes(word));
}

/** The sections with the words of a search; null for all. */
function useSearch(words: string, page: RefObject<HTMLElement | null>): ReadonlySet<string> | null {
  const [found, setFound] = useState<ReadonlySet<string> | null>(null);
  useEffect(() => {
    const parts = [...(page.current?.querySelectorAll<HTMLElement>('[data-section]') ?? [])];
    const matching = parts.filter((part) => hasWords(part, words.trim()));
    setFound(words.trim() === '' ? null : new Set(matching.map(({ dataset }) => dataset.section ?? '')));
  }, [words, page]);
  return found;
}

/** Brings the section of the address into view. What loads above it would move it away, so that it follows for a moment. */
function useSectionInView(section: SectionName | null, page: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const content = page.current;
    if (section === null || !content) return;
    const show = () => content.querySelector(`[data-section="${section}"]`)?.scrollIntoView();
    show();
    const observer = new ResizeObserver(show);
    observer.observe(content);
    const stop = () => observer.disconnect();
    // Until the user scrolls by themselves.
    const events = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;
    for (const name of events) window.addEventListener(name, stop, { once: true });
    const timer = setTimeout(stop, SETTLE_MS);
    return () => {
      clearTimeout(timer);
      stop();
      for (const name of events) window.removeEventListener(name, stop);
    };
  }, [section, page]);
}

/** How long sections load, in milliseconds. */
const SETTLE_MS = 2_000;

/** All settings on one page, with a list of their sections and a search. @param section that of the address */
export function Settings({ section }: { section: SectionName | null }) {
  const [words, setWords] = useState('');
  const page = useRef<HTMLDivElement>(null);
  const found = useSearch(words, page);
  useSectionInView(section, page);
  const shown = SECTIONS.filter((id) => found === null || found.has(id));
  return (
    <>
      <Heading>Settings</Heading>
      <div className="settings">
        <div className="settings-list">
          <input
            type="search"
            aria-label="Search settings"
            placeholder="Search settings"
            value={words}
            onChange={({ target }) => setWords(target.value)}
          />
          <nav aria-label="Settings">
            {shown.map((id) => (
              <a
                key={id}
                href={hashOf('settings', id)}
                {...(id === (section ?? SECTIONS[0]) && { 'aria-current': 'page' as const })}
              >
                {SECTION_TITLES[id]}
              </a>
            ))}
          </nav>
          <p role="status" className="soft">
            {shown.length === 0 ? 'No setting has these words.' : ''}
          </p>
        </div>
        <div ref={page}>
          {SECTIONS.map((id) => (
            <div key={id} data-section={id} hidden={!shown.includes(id)}>
              <Boundary instead={() => <Fault>{`${SECTION_TITLES[id]} could not be drawn.`}</Fault>}>
                <ManagedSettings section={id} />
                {VIEWS[id]()}
              </Boundary>
            </div>
          ))}
        </div>
      </div>
    </>
  );
}
