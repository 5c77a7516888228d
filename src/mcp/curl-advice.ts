/** How a model downloads a URL: it chooses the name, because a sender's name, such as `.bashrc`, would come to where the command runs. */
export const CURL_ADVICE =
  "Download the bytes with curl -fL -o NAME and `url` in single quotes. Choose NAME yourself: never use -OJ or -J, with which the sender chooses it.";
