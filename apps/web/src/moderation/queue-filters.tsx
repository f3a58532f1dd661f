import { Field, Select } from '@svc/ui';
import { SlugField } from '../account/parts.tsx';
import { visit } from '../address.ts';
import { Filters } from '../admin/list.tsx';
import type { Filter } from './use-queue.ts';
import { REASONS } from './words.ts';

const LOCKS = { '': 'Any', nobody: 'No moderator', me: 'You', others: 'Other moderators' } as const;

const DUES = { '': 'Any time', true: 'Overdue', false: 'Not yet due' } as const;

const SUPERSEDEDS = { '': 'Any', false: 'No', true: 'Yes' } as const;

const REQUEST_CHOICES = { '': 'Any', true: 'Waiting for the publisher', false: 'No' } as const;

/** Those that few moderators use: they unfold, and stay so while one is set. */
const RARE = ['lockedBy', 'superseded', 'changesRequested', 'publisher', 'appId'] as const;

function Choice({
  label,
  name,
  value = '',
  options,
}: {
  label: string;
  name: string;
  value?: string | undefined;
  options: Readonly<Record<string, string>>;
}) {
  return <Select label={label} of={Object.entries(options)} name={name} defaultValue={value} />;
}

/** Opens the filters, which are collapsed while none is set, and focuses the first one. */
export function openFilters(): void {
  const details = document.querySelector<HTMLDetailsElement>('details.queue-filters');
  if (!details) return;
  details.open = true;
  details.querySelector('select')?.focus();
}

const RareFilters = ({ filter }: { filter: Filter }) => (
  <>
    <Choice label="Locked by" name="lockedBy" value={filter.lockedBy} options={LOCKS} />
    <Choice label="Newer upload exists" name="superseded" value={filter.superseded} options={SUPERSEDEDS} />
    <Choice
      label="Changes requested"
      name="changesRequested"
      value={filter.changesRequested}
      options={REQUEST_CHOICES}
    />
    <SlugField label="Publisher" name="publisher" defaultValue={filter.publisher ?? ''} />
    <Field
      label="App id"
      name="appId"
      defaultValue={filter.appId ?? ''}
      maxLength={64}
      autoCapitalize="none"
      spellCheck={false}
    />
  </>
);

export function QueueFilters({ filter, isOpen }: { filter: Filter; isOpen: boolean }) {
  const { reason } = filter;
  const known: Readonly<Record<string, string>> = { '': 'Any reason', ...REASONS };
  const reasons = reason === undefined || reason in known ? known : { ...known, [reason]: reason };
  return (
    <details
      className="queue-filters"
      open={isOpen || Object.keys(filter).some((name) => name !== 'assigned')}
    >
      <summary>Filters</summary>
      <Filters
        isLive={false}
        apply={(query) => visit(`/moderation/versions?${query}`)}
        more={{
          label: 'More',
          isOpen: RARE.some((name) => filter[name] !== undefined),
          children: <RareFilters filter={filter} />,
        }}
      >
        <Choice label="Reason" name="reason" value={reason} options={reasons} />
        <Choice label="Due" name="overdue" value={filter.overdue} options={DUES} />
      </Filters>
    </details>
  );
}
