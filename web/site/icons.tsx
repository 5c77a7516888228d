/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";

function Icon({ children, className = "icon" }: { readonly children: ComponentChildren; readonly className?: string }) {
  return (
    <svg class={className} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

export const LogoIcon = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="9" />
    <path d="M16 22V10.5m-5 4.6 5-5 5 5M9.5 23.5h13" />
  </svg>
);

export const DownloadIcon = () => (
  <Icon>
    <path d="M12 4v11m-5-5 5 5 5-5M5 20h14" />
  </Icon>
);

export const UploadIcon = () => (
  <Icon>
    <path d="M12 16V5m-5 5 5-5 5 5M5 20h14" />
  </Icon>
);

export const CrossIcon = () => (
  <Icon>
    <path d="m6.5 6.5 11 11m0-11-11 11" />
  </Icon>
);

/** Renders the download icon as a symbol, which each row of a list shows with `SymbolIcon`. */
export const DownloadSymbol = () => (
  <svg class="unseen" aria-hidden="true" focusable="false">
    <symbol id="get" viewBox="0 0 24 24">
      <path d="M12 4v11m-5-5 5 5 5-5M5 20h14" />
    </symbol>
  </svg>
);

export const SymbolIcon = () => (
  <svg class="icon" aria-hidden="true" focusable="false">
    <use href="#get" />
  </svg>
);

export const LockIcon = () => (
  <Icon>
    <path d="M6.5 11h11a1.5 1.5 0 0 1 1.5 1.5v6a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 5 18.5v-6A1.5 1.5 0 0 1 6.5 11ZM8.5 11V7.500a3.500 3.500 0 0 1 7 0V11" />
  </Icon>
);

export const PasskeyIcon = () => (
  <Icon>
    <path d="M9.5 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM3 20c.4-3.6 3-6 6.5-6 .9 0 1.7.2 2.5.5M17.5 16.5a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5Zm0 0V22m0-2.25h2" />
  </Icon>
);

export const CheckIcon = () => (
  <Icon>
    <path d="M12 3 5 5.7v5.5c0 4.3 2.9 7.7 7 9.3 4.1-1.6 7-5 7-9.3V5.7Z" />
    <path d="m8.9 11.9 2.2 2.2 4-4.3" />
  </Icon>
);

export const BellIcon = () => (
  <Icon>
    <path d="M6.500 10a5.500 5.500 0 0 1 11 0c0 5 2 6.500 2 6.500h-15s2-1.500 2-6.500" />
    <path d="M10 19.500a2.200 2.200 0 0 0 4 0" />
  </Icon>
);

export const InboxIcon = () => (
  <Icon>
    <path d="M4 13.500 6.200 6h11.600l2.200 7.500v4.500H4Z" />
    <path d="M4 13.500h4.500l1.200 2.500h4.600l1.200-2.500H20" />
  </Icon>
);

export const TickIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="9.5" />
    <path d="m7.6 12.3 3 3 5.800-6.300" />
  </Icon>
);

export const InfoIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 11.2v5M12 7.8v.1" />
  </Icon>
);

export const BlockedIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="8.5" />
    <path d="m6.2 6.2 11.6 11.6" />
  </Icon>
);

/** Renders an icon that rotates, unless the user prefers reduced motion. */
export const WaitIcon = () => (
  <Icon className="icon spin">
    <circle class="track" cx="12" cy="12" r="8.5" />
    <path d="M12 3.5a8.5 8.5 0 0 1 8.5 8.5" />
  </Icon>
);

export const FolderIcon = () => (
  <Icon>
    <path d="M4 7.5A1.5 1.5 0 0 1 5.500 6H9l2 2.200h7.500A1.5 1.5 0 0 1 20 9.700v7.800a1.5 1.5 0 0 1-1.500 1.500h-13A1.5 1.5 0 0 1 4 17.500Z" />
  </Icon>
);

export const ClockIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 7.200V12l3.200 2" />
  </Icon>
);

export const QuestionIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M9.600 9.700a2.500 2.500 0 1 1 3.600 2.300c-.8.4-1.200.9-1.200 1.700M12 16.500v.1" />
  </Icon>
);

export const UsedUpIcon = () => (
  <Icon>
    <path d="M12 4v8m-4-4 4 4 4-4M5 20h14M8 16h8" />
  </Icon>
);

export const RemovedIcon = () => (
  <Icon>
    <path d="M5 7h14M9.500 7V4.500h5V7M7 7l.8 12.500h8.400L17 7M10.500 11l3 4.500m0-4.500-3 4.500" />
  </Icon>
);

export const ShareIcon = () => (
  <Icon>
    <path d="M12 15V4m-4 4 4-4 4 4M6 12v6.500a1.500 1.500 0 0 0 1.500 1.500h9a1.500 1.500 0 0 0 1.500-1.500V12" />
  </Icon>
);

export const LinkIcon = () => (
  <Icon>
    <path d="M10 14a4 4 0 0 0 5.700 0l3-3A4 4 0 0 0 13 5.300l-1 1M14 10a4 4 0 0 0-5.700 0l-3 3A4 4 0 0 0 11 18.700l1-1" />
  </Icon>
);

export const PlusIcon = () => (
  <Icon>
    <path d="M12 5v14M5 12h14" />
  </Icon>
);

export const CopyIcon = () => (
  <Icon>
    <path d="M9 9h10v11H9zM15 9V4H5v11h4" />
  </Icon>
);

export const EditIcon = () => (
  <Icon>
    <path d="m5 19 .9-4L16 4.900a1.600 1.600 0 0 1 2.300 0l.8.8a1.600 1.600 0 0 1 0 2.300L9 18.100Z" />
  </Icon>
);

export const DeleteIcon = () => (
  <Icon>
    <path d="M5 7h14M10 7V4.500h4V7M7 7l.7 11.600a1.500 1.500 0 0 0 1.500 1.400h5.600a1.500 1.500 0 0 0 1.500-1.400L17 7M10.500 11v5m3-5v5" />
  </Icon>
);

export const MoreIcon = () => (
  <Icon>
    <path d="M5 12h.01M12 12h.01M19 12h.01" />
  </Icon>
);

export const MoveIcon = () => (
  <Icon>
    <path d="M4 18.500V6a1.500 1.500 0 0 1 1.500-1.500h4l2 2.500h7A1.500 1.500 0 0 1 20 8.500V11M12 16.500h8m-3-3 3 3-3 3M4 18.500h5" />
  </Icon>
);

export const GridIcon = () => (
  <Icon>
    <path d="M5 5h5.500v5.500H5zM13.500 5H19v5.500h-5.500zM5 13.500h5.500V19H5zM13.500 13.500H19V19h-5.500z" />
  </Icon>
);

export const TableIcon = () => (
  <Icon>
    <path d="M5 6.500h14M5 12h14M5 17.500h14" />
  </Icon>
);

export const SettingsIcon = () => (
  <Icon>
    <path d="M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm7-3 2-1.200-2-3.500-2.200.8-1.600-.9L14.800 5h-4l-.5 2.200-1.600.9-2.200-.8-2 3.500L6.500 12l-2 1.200 2 3.500 2.200-.8 1.600.9.500 2.200h4l.4-2.200 1.600-.9 2.200.8 2-3.500Z" />
  </Icon>
);
