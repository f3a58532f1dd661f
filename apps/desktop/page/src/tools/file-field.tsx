import type { FileRule } from '@svc/contracts';
import { visible } from '@svc/text';
import { Button, FileDrop, Icon, sizeText } from '@svc/ui';
import { faultOf, hintOf } from './file-rule.ts';

type FileFieldProps = {
  name: string;
  rule: FileRule;
  files: readonly File[];
  choose(files: readonly File[]): void;
};

/** The file field of one argument, with the chosen files. */
export function FileField({ name, rule, files, choose }: FileFieldProps) {
  const multiple = rule.multiple ?? false;
  return (
    <div>
      <FileDrop
        title={name}
        hint={hintOf(rule)}
        accept={(rule.accept ?? []).join(',')}
        multiple={multiple}
        faultOf={(file) => faultOf(file, rule)}
        onFiles={(added) => choose(multiple ? [...files, ...added] : added)}
      />
      <ul className="rows">
        {files.map((file, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be chosen twice
          <li key={i}>
            <div>
              {visible(file.name)} <span className="soft">{sizeText(file.size)}</span>
            </div>
            <Button
              label={<Icon name="x" />}
              aria-label={`Remove ${file.name}`}
              onClick={() => choose(files.filter((_, at) => at !== i))}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
