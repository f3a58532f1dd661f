import { visible } from '@svc/text';
import { Button } from '@svc/ui';
import { lazy, Suspense } from 'react';
import type { AppView } from '../../../src/wire/views.ts';
import { AppIcon } from '../parts/icon.tsx';
import { hashOf } from '../routes.ts';
import { useApps, useProject } from '../shell/use-project.ts';
import { FirstApps } from '../store/first-apps.tsx';
import { useDesktopQuery } from '../wire/use-desktop.ts';
import { promptOf } from './prompt-of.ts';

/** Only a user without a model needs it. */
const AddModel = lazy(async () => ({ default: (await import('./add-model.tsx')).AddModel }));

/** Prompts in a new conversation. */
const PROMPTS = 3;

type HelloProps = {
  /** Undefined while that is not known. */
  isWithoutModel: boolean | undefined;
  /** The app that was just installed. */
  installed: string | null;
};

const isUsable = ({ on, yanked, source }: AppView): boolean => on && !yanked && source.kind !== 'built-in';

/** The first view of a new conversation: how to get a model, or what was installed, or a greeting. */
export function Hello({ isWithoutModel, installed }: HelloProps) {
  const app = useApps()?.find(({ appId }) => appId === installed);
  return (
    <div className={isWithoutModel === undefined ? 'hello settling' : 'hello'}>
      {app ? (
        <>
          <AppIcon appId={app.appId} version={app.version} name={app.manifest.name} />
          <h2>{`${visible(app.manifest.name)} is installed`}</h2>
          <p className="soft">
            {'Ask for what it does. You approve what it sends. '}
            <a href={hashOf('apps', app.appId)}>Open app</a>
          </p>
        </>
      ) : (
        <h2>{isWithoutModel ? 'Choose a model to begin' : 'What would you like to do?'}</h2>
      )}
      {isWithoutModel ? (
        <>
          <p className="soft">A model answers here, and uses your apps. What it may send, you approve.</p>
          <Suspense fallback={<span className="settling" />}>
            <AddModel />
          </Suspense>
        </>
      ) : null}
    </div>
  );
}

type Tools = readonly { appId: string; tools: readonly { name: string }[] }[];

/** Prompts of the apps, one of each before a second of any. */
function promptsOf(apps: readonly AppView[], listed: Tools) {
  const ofEach = apps.map((app) => {
    const known = listed.find(({ appId }) => appId === app.appId)?.tools ?? [];
    const tools = known.length > 0 ? known : (app.manifest.contributes.tools ?? []);
    const texts = tools.map(({ name }) => promptOf(visible(name), visible(app.manifest.name)));
    return [...new Set(texts)].slice(0, PROMPTS).map((text) => ({ app, text }));
  });
  return Array.from({ length: PROMPTS }, (_, at) => ofEach.flatMap((prompts) => prompts[at] ?? []))
    .flat()
    .slice(0, PROMPTS);
}

/** Prompts in a user's words, which a press puts into the message field. */
function Prompts({ apps, begin }: { apps: readonly AppView[]; begin(text: string): void }) {
  const project = useProject();
  const listed = useDesktopQuery('tools.names', { project: project.id }).data?.apps;
  if (!listed) return null;
  const prompts = promptsOf(apps, listed);
  return (
    <ul className="prompts" aria-label="Prompts to begin with">
      {prompts.map(({ app, text }) => (
        <li key={`${app.appId} ${text}`}>
          <Button className="quiet" onClick={() => begin(text)}>
            <AppIcon appId={app.appId} version={app.version} name={app.manifest.name} />
            {text}
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** What to begin a conversation with: prompts for the installed apps, or apps to install. */
export function Suggestions({
  begin,
  isWithoutModel,
  installed,
}: HelloProps & { begin(text: string): void }) {
  const usable = useApps()?.filter(isUsable);
  if (!usable || isWithoutModel === undefined) return null;
  const own = usable.filter(({ appId }) => installed === null || appId === installed);
  return (
    <div className="suggestions">
      {isWithoutModel || own.length === 0 ? null : <Prompts apps={own} begin={begin} />}
      {usable.length === 0 ? (
        <FirstApps lead="Apps give the model tools: notes, pictures, calendars." browse="Browse the store" />
      ) : null}
    </div>
  );
}
