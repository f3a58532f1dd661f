import type { QueryName } from '@svc/contracts/client';
import { AUDIT_WORDS } from '@svc/contracts/vocabulary';
import { useParams } from '../address.ts';
import { History } from './history.tsx';
import { Choice, Filters, SearchField } from './list.tsx';

/** Converts the local time of a form field to UTC, as the API expects it. */
const instantOf = (local: string): string => (local === '' ? '' : new Date(local).toISOString());

const ACTIONS = Object.entries(AUDIT_WORDS);

const DIRECTIONS = [
  ['', 'newest first'],
  ['asc', 'oldest first'],
] as const;

function AuditFilters({ params }: { params: Record<string, string> }) {
  return (
    <Filters isLive={false}>
      <SearchField
        label="Actor: name, email address or signer"
        name="actor"
        defaultValue={params.actor}
        maxLength={200}
      />
      <Choice label="Action" name="action" value={params.action} options={[['', 'any'], ...ACTIONS]} />
      <SearchField label="App id" name="appId" defaultValue={params.appId} maxLength={200} />
      <SearchField label="Publisher" name="publisher" defaultValue={params.publisher} maxLength={40} />
      <label>
        From
        <input type="datetime-local" name="from" defaultValue={params.from} />
      </label>
      <label>
        Before
        <input type="datetime-local" name="to" defaultValue={params.to} />
      </label>
      <Choice label="Order" name="direction" value={params.direction} options={DIRECTIONS} />
    </Filters>
  );
}

/** The audit log, with filters. */
export function Audit() {
  const params = useParams<QueryName<'GET /api/admin/audit'>>([
    'actor',
    'action',
    'appId',
    'publisher',
    'from',
    'to',
    'direction',
  ]);
  const { from = '', to = '' } = params;
  return (
    <>
      <h1>Audit log</h1>
      <AuditFilters params={params} />
      <History query={{ ...params, from: instantOf(from), to: instantOf(to) }} />
    </>
  );
}
