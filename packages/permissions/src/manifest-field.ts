import type { Manifest, MediaRequest } from '@svc/contracts';

/** Values that are compared as a whole. */
type Whole = MediaRequest;

type Plain = string | number | boolean;

type Items<Item, Path extends string> = Item extends Plain ? Path : Path | FieldsIn<Item, Path>;

/** An optional object can be added and removed, so its path has a class in addition to those of its fields. */
type Optional<Value, Path extends string> = undefined extends Value
  ? NonNullable<Value> extends Plain | Whole | readonly unknown[] | Record<string, string>
    ? never
    : string extends keyof NonNullable<Value>
      ? never
      : Path
  : never;

type FieldsIn<Value, Path extends string> = Value extends Plain | Whole
  ? Path
  : Value extends readonly (infer Item)[]
    ? Items<Item, `${Path}/*`>
    : Value extends object
      ? string extends keyof Value
        ? Items<Value[string & keyof Value], `${Path}/*`>
        : {
            [Key in keyof Value & string]-?:
              | Optional<Value[Key], `${Path}/${Key}`>
              | FieldsIn<NonNullable<Value[Key]>, `${Path}/${Key}`>;
          }[keyof Value & string]
      : never;

/**
 * Every field of a manifest that an update can change, as a JSON Pointer with `*` for the items of a list or the keys of
 * a map: `/accounts/*` is an account that is added or removed, `/accounts/*` followed by `/label` is its label.
 */
export type ManifestField = FieldsIn<Manifest, ''>;
