/** @jsxImportSource preact */
/** The first buttons of the sender's bar, which are below the link while its files are being sent. Their panels are loaded when they are opened. */
import { useEffect, useRef, useState } from "preact/hooks";
import { senderBar as texts } from "#texts/share";
import type { SendingPanel, SendingPanelName } from "../../share/browser/sender-bar/sending-panels.tsx";
import { Tool } from "../../share/browser/sender-bar/tool.tsx";
import { keepFocus } from "../../site/browser/components/focus.ts";
import { loadStyle } from "../../site/browser/components/load-style.ts";
import type { SentShare } from "../../site/browser/device/shares.ts";
import { EditIcon, PlusIcon, ShareIcon } from "../../site/icons.tsx";

/** The path of the style sheet of the sender's bar, which is inserted when the scripts are bundled. */
declare const SENDER_BAR_STYLE: string;

export interface SendingPanelState {
  /** The open panel; undefined if none is. */
  readonly name: SendingPanelName | undefined;
  readonly Panel: typeof SendingPanel | undefined;
  /** Opens a panel in place of another one, or closes it: the settings when their last change is saved, after a refusal at the next press. */
  toggle(name: SendingPanelName): void;
  /** Runs when a change of the settings is being saved. */
  onSave(saving: Promise<void>): void;
}

export function useSendingPanel(): SendingPanelState {
  const [Panel, setPanel] = useState<typeof SendingPanel>();
  const [open, setOpen] = useState<SendingPanelName>();
  const saving = useRef(Promise.resolve());
  const toggle = async (name: SendingPanelName): Promise<void> => {
    const change = saving.current;
    saving.current = Promise.resolve();
    await change;
    if (open === name) {
      setOpen(undefined);
      keepFocus(`#sender-${name}-tool`);
      return;
    }
    const loaded = await import("../../share/browser/sender-bar/sending-panels.tsx");
    setPanel(() => loaded.SendingPanel);
    setOpen(name);
  };
  return {
    name: open,
    Panel,
    toggle: (name) => void toggle(name).catch(() => undefined),
    onSave: (change) => {
      saving.current = change;
    },
  };
}

/** Loads the style of the sender's bar; returns whether it has loaded. */
export function useSenderBarStyle(): boolean {
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => void loadStyle(SENDER_BAR_STYLE).then(() => setLoaded(true)), []);
  return isLoaded;
}

interface SendingToolsProps {
  readonly panel: SendingPanelState;
  /** Runs with files to send to the same share; undefined if everything is sent. */
  readonly onAdd: ((files: readonly File[]) => void) | undefined;
}

export function SendingTools({ panel, onAdd }: SendingToolsProps) {
  const tool = (name: SendingPanelName) => ({
    id: `sender-${name}-tool`,
    isOpen: panel.name === name,
    controls: `sender-${name}`,
    onClick: () => panel.toggle(name),
  });
  return (
    <div class="sender-tools">
      <Tool {...tool("share")} label={texts.share}>
        <ShareIcon />
      </Tool>
      {onAdd ? (
        <label class="button small sender-tool">
          <PlusIcon />
          <span class="sender-word">{texts.addFiles}</span>
          <input
            class="send-field"
            type="file"
            multiple
            onChange={({ currentTarget }) => {
              onAdd([...(currentTarget.files ?? [])]);
              // Clearing the field allows choosing the same file again.
              currentTarget.value = "";
            }}
          />
        </label>
      ) : null}
      <Tool {...tool("edit")} label={texts.edit}>
        <EditIcon />
      </Tool>
    </div>
  );
}

interface OpenPanelProps {
  readonly panel: SendingPanelState;
  readonly share: SentShare;
  /** Runs with the title, the link and the secrets after they have changed. */
  onChange(change: Partial<SentShare>): void;
}

export function OpenPanel({ panel: { name, Panel, onSave, toggle }, ...props }: OpenPanelProps) {
  return Panel && name ? <Panel {...props} name={name} onSave={onSave} onDone={() => toggle(name)} /> : null;
}
