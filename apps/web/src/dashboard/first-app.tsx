import { CodeBlock } from '@svc/ui';
import type { ReactNode } from 'react';
import { Card } from '../account/parts.tsx';
import { hasPage } from '../extensions/store-link.tsx';

type FirstStep = { title: string; text: string; command?: string; link?: { href: string; label: string } };

/** The steps to a published app, with commands for the CLI that this store serves. */
const stepsOf = (store: string, slug: string | undefined): FirstStep[] => {
  const [svc, at] = hasPage('/cli') ? [`npx ${store}/cli.tgz`, ''] : ['svc', ` --store ${store}`];
  return [
    {
      title: 'Create a publisher',
      text: 'Users see its name next to your apps. Its short name goes into every plugin.json.',
    },
    {
      title: 'Create the app folder',
      text: 'Answer a few questions. The files it writes pass all checks.',
      command: `${svc} init my-app --publisher ${slug ?? 'YOUR-SHORT-NAME'}`,
    },
    {
      title: 'Try it',
      text: 'List your tools in plugin.json. The app runs in its own desktop client while you edit.',
      command: `${svc} dev my-app`,
    },
    {
      title: 'Check it',
      text: 'Runs the same checks as publishing, and suggests a fix where there is one.',
      command: `${svc} validate my-app`,
      link: { href: '/docs/codes', label: 'All checks' },
    },
    { title: 'Pack it', text: 'Packs the folder into one .svc-app file.', command: `${svc} pack my-app` },
    {
      title: 'Publish it',
      text:
        slug === undefined
          ? 'Drop the file on the page of your publisher, or publish from the terminal.'
          : 'Drop the file below, or publish from the terminal.',
      command: `${svc} login${at} && ${svc} publish my-app${at}`,
    },
    {
      title: 'A moderator reviews it',
      text: 'The catalogue lists the app once a moderator approves its first version. You see the progress here and get it by mail.',
    },
  ];
};

/** The command of a step; folded before it is its turn. */
function Command({ text, isAhead }: { text: string; isAhead: boolean }) {
  if (!isAhead) return <CodeBlock text={text} />;
  return (
    <details>
      <summary>Show the command</summary>
      <CodeBlock text={text} />
    </details>
  );
}

/**
 * Guides a user to a first published app.
 * @param slug the publisher of the app; without one, creating it is the first step
 * @param form creates the publisher, inside that step
 */
export const FirstApp = ({ slug, form }: { slug?: string; form?: ReactNode }) => {
  const current = slug === undefined ? 0 : 1;
  return (
    <Card title="Your first app">
      <p>You need Node 22.19 or newer and the address of your MCP server.</p>
      <ol className="steps" aria-label="Your first app">
        {stepsOf(location.origin, slug).map(({ title, text, command, link }, index) => {
          const look = index < current ? 'done' : index === current ? 'now' : 'ahead';
          return (
            <li key={title} className={look} {...(look === 'now' && { 'aria-current': 'step' as const })}>
              <strong>{title}</strong>
              {look === 'done' ? <span className="unseen"> (done)</span> : null}
              <p>
                {text} {link && hasPage(link.href) ? <a href={link.href}>{link.label}</a> : null}
              </p>
              {command === undefined ? null : <Command text={command} isAhead={look === 'ahead'} />}
              {look === 'now' ? form : null}
            </li>
          );
        })}
      </ol>
    </Card>
  );
};
