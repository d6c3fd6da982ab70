// A page of the documentation site: its search and its contents; all else is in its HTML.

import { searchBox } from "./search-box.js";

const WIDE = matchMedia("(min-width: 50.01rem)");

// The API reference was at `/docs` itself once: an anchor that is not here is one of its own.
const anchor = decodeURIComponent(location.hash.slice(1));
if (location.pathname === "/docs" && anchor && !document.getElementById(anchor)) location.replace(`/docs/api${location.hash}`);

document.getElementById("contents").open = WIDE.matches;
searchBox();
