// The element <rewound-fight>: a fight of a share link in any page, in a frame that has nothing of that page.
//
//   <script type="module" src="https://rewound.example/page/embed/rewound-fight.mjs"></script>
//   <rewound-fight code="rl_…" commit="17"></rewound-fight>

const HERE = new URL(import.meta.url).origin;
const OPTIONAL = { commit: "n", line: "line" };

/** Shows the fight of the share link whose token is in `code`: live, or at `commit`; of the service that served this file. */
export class RewoundFight extends HTMLElement {
  static observedAttributes = ["code", "label", ...Object.keys(OPTIONAL)];

  /** @type {HTMLIFrameElement | null} */
  frame = null;

  connectedCallback() {
    this.style.display ||= "block";
    this.frame ??= this.#framed();
    this.attributeChangedCallback();
  }

  /** Show what the attributes say now. */
  attributeChangedCallback() {
    if (!this.frame) return;
    const code = this.getAttribute("code") ?? "";
    const wanted = Object.entries(OPTIONAL).filter(([name]) => this.hasAttribute(name)).map(([name, part]) => `&${part}=${encodeURIComponent(this.getAttribute(name) ?? "")}`);
    const address = `${HERE}/s#${encodeURIComponent(code)}${wanted.join("")}`;
    this.frame.title = this.getAttribute("label") ?? "A fight";
    if (this.frame.src !== address) this.frame.src = address;
  }

  #framed() {
    const frame = document.createElement("iframe");
    Object.assign(frame.style, { display: "block", width: "100%", height: this.style.height || "600px", border: "0" });
    frame.referrerPolicy = "no-referrer";
    frame.loading = "lazy";
    frame.allow = "clipboard-write";
    this.attachShadow({ mode: "open" }).append(frame);
    return frame;
  }
}

if (!customElements.get("rewound-fight")) customElements.define("rewound-fight", RewoundFight);
