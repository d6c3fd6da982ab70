# Begin as the pages of the documentation do: `. examples/desk.sh` opens the fight at the ford on $REWOUND with a
# new key. Then `gm`, `ann` (who plays Pia) and `bob` (who watches) are curl with the token of each, $E is the
# address of the encounter, and `get NAME` prints a member of the JSON that it reads.

KEY=$(.venv/bin/rewound keys create desk)
get() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }
as() { local token=$1; shift; curl -s -H "Authorization: Bearer $token" -H "Content-Type: application/json" "$@"; }
gm() { as "$KEY" "$@"; }
E=$REWOUND/encounters/$(gm $REWOUND/encounters -d @examples/at-the-ford.json | get encounter)
ANN=$(gm -X POST $E/seats/ann/token | get token)
BOB=$(gm -X POST $E/seats/bob/token | get token)
ann() { as "$ANN" "$@"; }
bob() { as "$BOB" "$@"; }
