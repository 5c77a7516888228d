/** Pages that say what happened and what to do next. */
export const messages = {
  kinds: {
    missing: {
      title: "Link not found",
      text: "Nothing is shared at this address.",
      next: "Check the link, or ask the sender for a new one.",
    },
    expired: {
      title: "This link has expired",
      text: "Nothing is shared at this address any more.",
      next: "Ask the sender to share the file again.",
    },
    usedUp: {
      title: "This link has no downloads left",
      text: "The file has been downloaded as often as the sender allowed.",
      next: "If that was not you, ask the sender to share it again.",
    },
    blocked: {
      title: "This file is blocked",
      text: "The scan found malware or failed, so nobody can download it.",
      next: "Tell the sender. They can upload the file again.",
    },
    blocklisted: {
      title: "Blocked by the administrator",
      text: "This site does not allow this file, so nobody can download it.",
      next: "If this is a mistake, ask the administrator.",
    },
    damaged: {
      title: "This file arrived damaged",
      text: "It does not match the sender’s file, so nobody can download it.",
      next: "Ask the sender to upload it again.",
    },
    takenDown: {
      title: "This file has been taken down",
      text: "The administrator removed it after a legal complaint.",
      next: "Is this a mistake? Ask the sender to contact the administrator.",
    },
    notAvailable: {
      title: "This link is not available",
      text: "The sender’s files are not available at the moment.",
      next: "Ask the sender, or try again later.",
    },
    notReady: {
      title: "Not ready yet",
      text: "The file is still uploading or being checked.",
      next: "Go back and wait: the page shows when the file is ready.",
    },
    badSignedUrl: {
      title: "This download link does not work",
      text: "It has expired or is incomplete.",
      next: "Open the share’s link again and press Download.",
    },
    noHandoff: {
      title: "This private link does not work",
      text: "It has expired, is incomplete, or was replaced by the sender.",
      next: "Check the link, or ask the sender for a new one.",
    },
    noDeletion: {
      title: "Nothing to delete",
      text: "The file is already deleted, or the link is incomplete.",
      next: "Check the link for missing or extra characters.",
    },
    deleted: {
      title: "File deleted",
      text: "Its link has stopped working for everyone.",
      next: "Downloads that have already started may still finish.",
    },
    reported: {
      title: "Report sent",
      text: "The administrator of this server can now read it.",
      next: "If you gave a mail address, they may write to you.",
    },
    noRequest: {
      title: "Request not found",
      text: "Nobody asks for files at this address, or the link was replaced.",
      next: "Check the link, or ask for a new one.",
    },
    noPublicPage: {
      title: "There is no public page here",
      text: "Nobody shows public files under this name.",
      next: "Check the name, or ask the person for their new address.",
    },
    unknownApplication: {
      title: "This request of an application does not work",
      text: "The application is unknown here, or asks to send you to an address that it did not register.",
      next: "Go back to the application and connect it again.",
    },
    requestUnavailable: {
      title: "This request is not available",
      text: "The account that asked for files does not accept any now.",
      next: "Ask the person who sent you the link.",
    },
    requestClosed: {
      title: "This request is closed",
      text: "No more files are wanted here. What you sent has arrived.",
      next: "Ask the person who sent you the link.",
    },
    requestExpired: {
      title: "This request has expired",
      text: "The time to send files here has passed.",
      next: "Ask the person who sent you the link for a new one.",
    },
    requestUsedUp: {
      title: "This request has everything it asked for",
      text: "It accepts no more files.",
      next: "If yours are missing, ask for a new link.",
    },
    requestFull: {
      title: "There is no room for files right now",
      text: "The storage of the person who asks is full.",
      next: "Tell them, and try again later.",
    },
    locked: {
      title: "This link needs a code",
      text: "The sender has the code, or a private link that needs none.",
      next: "Open the link and enter the code, or ask the sender.",
    },
    payment: {
      title: "This file has a price",
      text: "Only buyers can download it.",
      next: "Ask the sender how to buy it.",
    },
    crossSite: {
      title: "Open this page at its own address",
      text: "Another site sent this request, so nothing was done.",
      next: "Open the link at this address and try again.",
    },
    refused: {
      title: "That did not work",
      text: "The server could not accept your request.",
      next: "Go back, correct it, and try again.",
    },
    tooManyRequests: {
      title: "Too many requests",
      text: "Many requests came from your network in a short time.",
      next: "Wait a minute, then try again.",
    },
    busy: {
      title: "The server is busy",
      text: "It cannot respond right now. Your link is fine.",
      next: "Try again in a minute.",
    },
    error: {
      title: "Something went wrong",
      text: "The problem is on our side, not yours.",
      next: "Try again. If it keeps failing, send the administrator the request ID.",
    },
  },
  requestId: "Request ID:",
  retry: "Try again",
  start: "Go to the start page",
  contact: "Contact the administrator",
};

export type MessageTexts = typeof messages;
