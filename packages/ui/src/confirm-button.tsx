import { useState } from 'react';
import { Button } from './button.tsx';

type ConfirmButtonProps = {
  label: string;
  /** The question, asked in place of the button. */
  sure: string;
  act(): void;
  /** `quiet` in rows of a list, `plain` for harmless actions. */
  tone?: 'bad' | 'quiet' | 'plain';
};

/** A button that asks for confirmation in its own place before it acts. Afterwards it has the focus again. */
export function ConfirmButton({ label, sure, act, tone = 'bad' }: ConfirmButtonProps) {
  const [step, setStep] = useState<'initial' | 'asking' | 'answered'>('initial');
  const answer = (confirmed: boolean) => {
    setStep('answered');
    if (confirmed) act();
  };
  if (step !== 'asking') {
    return (
      <button
        type="button"
        className={tone}
        // biome-ignore lint/a11y/noAutofocus: the button replaces the pressed answer
        autoFocus={step === 'answered'}
        onClick={() => setStep('asking')}
      >
        {label}
      </button>
    );
  }
  return (
    <fieldset className="buttons sure" aria-label={sure}>
      <span>{sure}</span>
      <button
        type="button"
        className={tone === 'plain' ? 'main' : 'bad'}
        // biome-ignore lint/a11y/noAutofocus: the question replaces the pressed button
        autoFocus
        onClick={() => answer(true)}
      >
        {label.replace('…', '')}
      </button>
      <Button label="Cancel" onClick={() => answer(false)} />
    </fieldset>
  );
}
