/** @jsxImportSource preact */
/** Settings that are saved one by one as they change, each with the outcome beside its field. */
import { useState } from "preact/hooks";
import { errors } from "#texts/site";
import { hasBuyers } from "../api.ts";
import { announce } from "./announce.ts";

export interface SaveNote {
  readonly text: string;
  readonly isProblem?: boolean;
  /** Repeats the change, although buyers lose files that they paid for. */
  onForce?(): void;
}

/** A change of settings. `force` makes it although buyers lose files that they paid for. */
interface Forcible {
  readonly force?: boolean | undefined;
}

export interface SavesOptions<Change> {
  readonly texts: { readonly saving: string; readonly saved: string };
  /** Makes the change, and shows it. Rejects with the sentence for the person. */
  commit(change: Change): Promise<void>;
  /** What a screen reader says after the change; `saved` by default. */
  describe?(change: Change): string;
}

export interface Saves<Field extends string, Change> {
  /** The outcomes beside the fields. */
  readonly notes: Readonly<Partial<Record<Field, SaveNote>>>;
  /** The changes that are being saved. The fields already show them. */
  readonly saving: Partial<Change>;
  refuse(field: Field, text: string): void;
  /** Saves a change. Resolves to whether it was made. */
  save(field: Field, change: Change): Promise<boolean>;
}

/** A change may begin before the one before it has ended, which then replaces neither the later one's outcome nor its value. */
export function useSaves<Field extends string, Change extends Forcible>(options: SavesOptions<Change>): Saves<Field, Change> {
  const { texts, commit, describe = () => texts.saved } = options;
  const [notes, setNotes] = useState<Partial<Record<Field, SaveNote>>>({});
  const [saving, setSaving] = useState<Partial<Change>>({});
  const note = (field: Field, note: SaveNote): void => setNotes((notes) => ({ ...notes, [field]: note }));

  async function save(field: Field, change: Change): Promise<boolean> {
    setSaving((saving) => ({ ...saving, ...change }));
    setNotes({ [field]: { text: texts.saving } } as Partial<Record<Field, SaveNote>>);
    try {
      await commit(change);
      note(field, { text: texts.saved });
      announce(describe(change));
      return true;
    } catch (error) {
      const onForce = (): void => void save(field, { ...change, force: true });
      const text = error instanceof Error ? error.message : String(error);
      note(field, { text, isProblem: true, ...(hasBuyers(error) && { onForce }) });
      return false;
    } finally {
      setSaving((saving) => without(saving, change));
    }
  }

  return { notes, saving, refuse: (field, text) => note(field, { text, isProblem: true }), save };
}

/** The changes that are still being saved when one has ended. A later one of the same setting is. */
const without = <Change extends object>(saving: Partial<Change>, ended: Change): Partial<Change> =>
  Object.fromEntries(Object.entries(saving).filter(([name, value]) => ended[name as keyof Change] !== value)) as Partial<Change>;

export interface SaveOutcomeProps {
  readonly note: SaveNote | undefined;
  readonly class: string;
}

/** Renders the outcome of a change. */
export function SaveOutcome({ note, class: name }: SaveOutcomeProps) {
  if (!note) return null;
  return (
    <span class={note.isProblem ? `${name} bad` : name} role={note.isProblem ? "alert" : undefined}>
      {note.text}{" "}
      {note.onForce === undefined ? null : (
        <button class="button small" type="button" onClick={note.onForce}>
          {errors.nevertheless}
        </button>
      )}
    </span>
  );
}
