import { LIMITS } from '@svc/contracts/vocabulary';
import { WORDS } from '../../reviews/words.ts';

const GRADES = Array.from({ length: LIMITS.ratings.stars }, (_, index) => index + 1);

/** A choice of stars. Radio buttons provide arrow keys and labels for screen readers. */
export function StarsField({ value, choose }: { value: number; choose(stars: number): void }) {
  return (
    <fieldset>
      <legend>{WORDS.rate.rating}</legend>
      <div className="given">
        {GRADES.map((grade) => (
          <label key={grade} className="star">
            <input
              type="radio"
              className="unseen"
              name="rating"
              required
              value={grade}
              checked={grade === value}
              onChange={() => choose(grade)}
            />
            <span aria-hidden="true">{grade <= value ? '★' : '☆'}</span>
            <span className="unseen">{WORDS.stars(grade)}</span>
          </label>
        ))}
        <span className="soft" aria-hidden="true">
          {value === 0 ? WORDS.rate.unrated : WORDS.stars(value)}
        </span>
      </div>
    </fieldset>
  );
}
