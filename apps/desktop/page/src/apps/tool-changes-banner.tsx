import { visible } from '@svc/text';
import { ButtonLink } from '@svc/ui';
import type { DesktopCalls } from '../../../src/wire/calls.ts';
import { Banner } from '../parts/parts.tsx';
import { hashOf } from '../routes.ts';
import { useDesktopQuery } from '../wire/use-desktop.ts';

export type Waiting = DesktopCalls['tools.changes']['out']['waiting'][number];

/** What happened, as one sentence without its end. */
export const titleOf = ({ name, recorded }: Waiting): string =>
  recorded.length > 0
    ? `The server of ${visible(name)} differs from what the store recorded`
    : `The server of ${visible(name)} changed what it lists`;

/** Links to each app whose server changed what it lists. */
export function ToolChangesBanner() {
  const { data } = useDesktopQuery('tools.changes', {});
  return data?.waiting
    .filter(({ rejected }) => !rejected)
    .map((waiting) => (
      <Banner key={waiting.appId}>
        <span role="status">{`${titleOf(waiting)}.`}</span>
        <ButtonLink label="Review changes" href={hashOf('apps', waiting.appId, 'tools')} />
      </Banner>
    ));
}
