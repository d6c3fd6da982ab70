// What the page uses of the client's module.

import { SeatKey } from "./rewound.mjs";

export { SeatKey };
/** Signs the commands of a seat. */
export class Signer {
  constructor(seat: string, key: SeatKey);
  seat: string;
  key: SeatKey;
}
