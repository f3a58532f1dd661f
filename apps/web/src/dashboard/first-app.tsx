import { CodeBlock } from '@svc/ui';
import { Card } from '../account/parts.tsx';
import { WORDS } from './words.ts';

const { first } = WORDS;

type FirstStep = { title: string; text: string; command?: string; link?: { href: string; label: string } };

/** The steps to a published app, with commands for the CLI that this store serves. */
const stepsOf = (store: string, slug: string | undefined): FirstStep[] => {
  const svc = `npx ${store}/cli.tgz`;
  return [
    { title: first.publisher.title, text: first.publisher.text },
    {
      title: first.init.title,
      text: first.init.text,
      command: `${svc} init my-app --publisher ${slug ?? first.slug}`,
    },
    { title: first.dev.title, text: first.dev.text, command: `${svc} dev my-app` },
    {
      title: first.validate.title,
      text: first.validate.text,
      command: `${svc} validate my-app`,
      link: { href: '/docs/codes', label: first.validate.link },
    },
    { title: first.pack.title, text: first.pack.text, command: `${svc} pack my-app` },
    {
      title: first.publish.title,
      text: slug === undefined ? first.publish.later : first.publish.text,
      command: `${svc} login && ${svc} publish my-app`,
    },
    { title: first.review.title, text: first.review.text },
  ];
};

/**
 * Guides a user to a first published app.
 * @param slug the publisher of the app; without one, creating it is the first step
 */
export const FirstApp = ({ slug }: { slug?: string }) => {
  const current = slug === undefined ? 0 : 1;
  return (
    <Card title={first.title}>
      <p>{first.lead}</p>
      <ol className="steps" aria-label={first.title}>
        {stepsOf(location.origin, slug).map(({ title, text, command, link }, index) => {
          const look = index < current ? 'done' : index === current ? 'now' : 'ahead';
          return (
            <li key={title} className={look} {...(look === 'now' && { 'aria-current': 'step' as const })}>
              <strong>{title}</strong>
              {look === 'done' ? <span className="unseen"> ({WORDS.steps.done})</span> : null}
              <p>
                {text} {link ? <a href={link.href}>{link.label}</a> : null}
              </p>
              {command === undefined ? null : <CodeBlock text={command} />}
            </li>
          );
        })}
      </ol>
    </Card>
  );
};
