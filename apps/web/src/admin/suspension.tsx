import type { Suspension as Reason } from '@svc/contracts';
import { moment, textOf } from '@svc/ui';
import type { Act } from '../account/acts.tsx';
import { RuleField, ruleIn } from '../account/rule-field.tsx';

type Suspendable = Pick<Act, 'effect' | 'copies' | 'notice'> & {
  /** What is suspended, for the title of the dialog. */
  name: string;
  suspended: boolean;
  /** Whether it cites a rule of the policy: that of a user is about an account, not about what it published. */
  cites?: boolean;
  change(json: { suspended: boolean; reason?: string; rule?: string }): Promise<unknown>;
};

/** Suspends a user, a publisher or an app with a reason, or ends the suspension. */
export const suspensionOf = ({ name, suspended, cites = true, change, ...effects }: Suspendable): Act =>
  suspended
    ? {
        label: 'Unsuspend…',
        title: `Unsuspend ${name}`,
        yes: 'Unsuspend',
        tone: 'main',
        effect: 'Ends the suspension: what it hid is shown again, and what it stopped goes on.',
        notice: 'No mail is sent. The audit log records it.',
        send: () => change({ suspended: false }),
      }
    : {
        label: 'Suspend…',
        title: `Suspend ${name}`,
        yes: 'Suspend',
        reason: 'Reason, recorded and sent to those who are suspended',
        ...(cites && { fields: <RuleField /> }),
        ...effects,
        send: (data) => change({ suspended: true, reason: textOf(data, 'reason'), ...ruleIn(data) }),
      };

/** The badge of what is suspended, with the reason. */
export const SuspendedBadge = ({
  suspended,
  suspension,
}: {
  suspended: boolean;
  suspension?: Reason | undefined;
}) =>
  suspended ? (
    <span className="badge fault" title={suspension && `${suspension.reason} (${moment(suspension.at)})`}>
      suspended
    </span>
  ) : null;

/** Why something is suspended, on its own page. */
export const SuspensionNote = ({ suspension }: { suspension: Reason | undefined }) =>
  suspension === undefined ? null : (
    <p className="callout plain">{`Suspended ${moment(suspension.at)}: ${suspension.reason}`}</p>
  );
