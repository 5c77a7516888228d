/** @jsxImportSource preact */
import { useEffect, useState } from "preact/hooks";
import { files as texts } from "#texts/files";
import { FormDialog } from "../../site/browser/components/form-dialog.tsx";
import { fullName } from "../../site/format.ts";
import { FolderIcon } from "../../site/icons.tsx";
import type { FolderView, NamedFolder } from "../file-views.ts";
import { type ChosenEntries, createFolder, loadFolders } from "./calls.ts";

export interface MoveDialogProps {
  readonly chosen: ChosenEntries;
  /** The chosen entries, in words. */
  readonly what: string;
  /** The folders from the root to the shown one. */
  readonly path: readonly NamedFolder[];
  /** The folder that contains all chosen entries; null: the root; undefined: several folders, or unknown. */
  readonly from: string | null | undefined;
  /** Moves the chosen entries. Rejects with an error whose message is a sentence. */
  onMove(folder: NamedFolder | null): Promise<void>;
  onClose(): void;
}

/** Renders a dialog that asks for a folder. It shows one level at a time, with a link to the level above. */
export function MoveDialog({ chosen, what, path: initial, from, onMove, onClose }: MoveDialogProps) {
  const [path, setPath] = useState(initial);
  const [folders, setFolders] = useState<readonly FolderView[]>();
  const [problem, setProblem] = useState("");
  const [newName, setNewName] = useState("");
  const current = path.at(-1);

  useEffect(() => {
    let isCurrent = true;
    setFolders(undefined);
    loadFolders(current?.id ?? null).then(
      (folders) => isCurrent && setFolders(folders),
      (error: unknown) => fail(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [current?.id]);

  const fail = (error: unknown): void => setProblem(error instanceof Error ? error.message : String(error));
  const act = async (work: () => Promise<void>): Promise<void> => {
    setProblem("");
    await work().catch(fail);
  };
  const make = (): void => {
    const name = newName.trim();
    if (name === "") return;
    void act(async () => {
      const { id } = await createFolder(name, current?.id ?? null);
      setNewName("");
      setPath([...path, { id, name }]);
    });
  };
  // A folder cannot be moved into itself.
  const offered = folders?.filter(({ id }) => !chosen.folderIds.includes(id));
  return (
    <FormDialog
      title={texts.moveTitle(what)}
      submit={texts.moveHere}
      isDisabled={(current?.id ?? null) === from}
      cancel={texts.cancel}
      problem={problem}
      onSubmit={async () => {
        await onMove(current ?? null);
        onClose();
      }}
      onClose={onClose}
    >
      <nav class="files-crumbs" aria-label={texts.path}>
        {[undefined, ...path].map((folder, depth) => (
          <button
            key={folder?.id ?? ""}
            class="link"
            type="button"
            aria-current={depth === path.length ? "location" : undefined}
            onClick={() => setPath(path.slice(0, depth))}
          >
            <bdi>{folder === undefined ? texts.title : fullName(folder.name)}</bdi>
          </button>
        ))}
      </nav>
      <ul class="files-folders" aria-busy={offered === undefined}>
        {offered?.map(({ id, name }) => (
          <li key={id}>
            <button type="button" onClick={() => setPath([...path, { id, name }])}>
              <FolderIcon />
              <bdi>{fullName(name)}</bdi>
            </button>
          </li>
        ))}
        {offered?.length === 0 ? <li class="quiet">{texts.noFolders}</li> : null}
      </ul>
      <div class="files-make">
        <input
          type="text"
          value={newName}
          maxLength={200}
          autoComplete="off"
          aria-label={texts.folderName}
          placeholder={texts.newFolder}
          onInput={({ currentTarget }) => setNewName(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || newName.trim() === "") return;
            event.preventDefault();
            make();
          }}
        />
        <button class="button small" type="button" onClick={make} disabled={newName.trim() === ""}>
          {texts.create}
        </button>
      </div>
    </FormDialog>
  );
}
