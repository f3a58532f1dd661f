import type { ManifestSummary, Review } from '@svc/contracts';
import { visible, visibleLines } from '@svc/text';
import { count, ModelText } from '@svc/ui';
import { Fragment } from 'react';
import { Card } from '../../account/parts.tsx';
import { Rendered } from '../../dashboard/parts.tsx';
import { StoreLink } from '../../extensions/store-link.tsx';
import { iconOf, picturePath } from '../version-path.ts';

/** A text of the published version, where it differs from the one under review. */
export function Was({ is, was }: { is: string; was: string | undefined }) {
  if (was === undefined || was === is) return null;
  return (
    <p className="was">
      <span className="was-word">was</span> <bdi>{visible(was) || 'none'}</bdi>
    </p>
  );
}

/** What looks alike, in words. */
const LOOKS = { name: 'name', icon: 'icon', id: 'end of the id' } as const;

/** The apps that it looks like, each side by side with it. */
export function LookAlikes({ review }: { review: Review }) {
  if (review.alike.length === 0) return null;
  return (
    <Card title="Look-alikes">
      {review.alike.map(({ by, name, publisher, stopped, ...other }) => (
        <div key={other.appId} className="seen-pair">
          <p className="soft">
            The {by.map((look) => LOOKS[look]).join(' and the ')} {by.length > 1 ? 'look' : 'looks'} like that
            of {stopped ? <strong>an app that the store stopped</strong> : 'another publisher'}:
          </p>
          <figure>
            <img src={iconOf(review)} alt="Icon" width={64} height={64} />
            <figcaption>
              <bdi>{visible(review.manifest.name)}</bdi>
              <code>{visible(review.appId)}</code> this version
            </figcaption>
          </figure>
          <figure>
            <img src={iconOf(other)} alt={`Icon of ${visible(name)}`} width={64} height={64} />
            <figcaption>
              <StoreLink href={`/apps/${other.appId}`}>
                <bdi>{visible(name)}</bdi>
              </StoreLink>
              <code>{visible(other.appId)}</code>{' '}
              <StoreLink href={`/publishers/${publisher}`}>{publisher}</StoreLink>
            </figcaption>
          </figure>
        </div>
      ))}
    </Card>
  );
}

function Screenshots({ review }: { review: Review }) {
  const { screenshots, name } = review.manifest;
  if (screenshots.length === 0) return <p className="soft">No screenshots.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="shots" tabIndex={0} aria-label="Screenshots">
      {screenshots.map((path, index) => (
        <a key={path} href={picturePath(review, path)}>
          <img
            src={picturePath(review, path)}
            alt={`Screenshot ${index + 1} of ${visible(name)}`}
            loading="lazy"
          />
        </a>
      ))}
    </section>
  );
}

/** A text of the listing, rendered and as it was written; nothing where it is empty. */
function Listed({ title, html, text }: { title: string; html: string; text: string }) {
  if (html === '') return null;
  return (
    <Card title={title}>
      <Rendered html={html} label={title} />
      <details>
        <summary>{title}, as text</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
        <pre className="plain" tabIndex={0}>
          {visibleLines(text)}
        </pre>
      </details>
    </Card>
  );
}

/** The long texts of the listing. */
export const ListedTexts = ({ review }: { review: Review }) => (
  <div>
    <Listed title="README" html={review.readmeHtml} text={review.readme} />
    <Listed title="Changelog" html={review.changelogHtml} text={review.changelog} />
  </div>
);

/** Sentences of the publisher beside what the store enforces, of which new ones are marked. Those that are gone are among the changes. */
export function Sentences({ is, was = is }: { is: readonly string[]; was?: readonly string[] | undefined }) {
  const gone = was.filter((sentence) => !is.includes(sentence)).length;
  return (
    <Card title="In the words of the publisher">
      {is.length === 0 ? <p className="soft">The publisher says nothing about its permissions.</p> : null}
      <ul>
        {is.map((sentence) => (
          <li key={sentence}>
            <bdi>{visible(sentence)}</bdi>{' '}
            {was.includes(sentence) ? null : <span className="badge mild">new</span>}
          </li>
        ))}
      </ul>
      {gone === 0 ? null : <p className="soft">{`${count(gone, 'sentence')} removed: see the changes.`}</p>}
    </Card>
  );
}

/** The tools of the manifest, as users see them. */
export const DeclaredTools = ({ tools }: Pick<ManifestSummary, 'tools'>) => (
  <Card title="Tools of the manifest">
    {tools.length === 0 ? <p className="soft">This app has no tools.</p> : null}
    <dl className="seen-tools">
      {tools.map(({ id, name, description }) => (
        <div key={id}>
          <dt>
            <bdi>{visible(name)}</bdi> <code>{visible(id)}</code>
          </dt>
          <dd>
            <ModelText text={description} />
          </dd>
        </div>
      ))}
    </dl>
  </Card>
);

const joined = (values: readonly string[]): string => values.join(' · ');

/** The other texts of the listing, each compared with the published version. */
const FIELDS: readonly { label: string; of(manifest: ManifestSummary): string }[] = [
  { label: 'Categories', of: ({ categories }) => joined(categories) },
  { label: 'Website', of: ({ homepage }) => homepage ?? '' },
  { label: 'Support', of: ({ support }) => support ?? '' },
  { label: 'Author', of: ({ author }) => author ?? '' },
  { label: 'Panels', of: ({ panels }) => joined(panels.map(({ id, title }) => `${id}: ${title}`)) },
];

type SeenProps = {
  review: Review;
  /** The manifest of the published version. */
  was: ManifestSummary | null;
};

/** The listing as users will see it: screenshots, description and facts. */
export function Seen({ review, was }: SeenProps) {
  const { manifest } = review;
  return (
    <Card title="What users will see">
      <Screenshots review={review} />
      <p>
        <bdi>{visible(manifest.description)}</bdi>
      </p>
      <Was is={manifest.description} was={was?.description} />
      <dl className="facts">
        {FIELDS.map(({ label, of }) => (
          <Fragment key={label}>
            <dt>{label}</dt>
            <dd>
              <bdi>{visible(of(manifest)) || 'none'}</bdi>
              <Was is={of(manifest)} was={was ? of(was) : undefined} />
            </dd>
          </Fragment>
        ))}
      </dl>
    </Card>
  );
}
