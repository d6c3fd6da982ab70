#!/bin/sh
# Make the secrets that compose.yaml mounts: the users of the stores, addresses with passwords, the secret key.
#   sh deploy/secrets.sh          makes what is missing in deploy/secrets, or in $REWOUND_SECRETS; what is there stays
#   sh deploy/secrets.sh change   gives each user of the stores a new password; the old one stays valid
#   sh deploy/secrets.sh finish   takes the old passwords away
# Nobody else on the host can enter the directory. The files in it are readable, because the users of the containers,
# to whom they are mounted one by one, are not users of the host.
set -eu
umask 077
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
place=${REWOUND_SECRETS:-$here/secrets}
mkdir -p "$place/passwords"
chmod 0700 "$place" # it may have been there, made with the usual mask
cd "$place"

for who in api worker backup queue replica join; do
    password=passwords/$who
    case ${1:-make} in
        make) ;;
        change)
            [ ! -e "$password.before" ] || { echo "$0: finish the last change first" >&2; exit 1; }
            mv "$password" "$password.before"
            ;;
        finish) rm -f "$password.before" ;;
        *) echo "usage: $0 [change | finish]" >&2; exit 2 ;;
    esac
    [ -s "$password" ] || openssl rand -hex 16 > "$password"
done
[ -s secret-key ] || openssl rand -hex 32 > secret-key

# the words with which a user's line of an ACL names the passwords that are valid now
valid() {
    printf '>%s' "$(cat "passwords/$1")"
    [ ! -e "passwords/$1.before" ] || printf ' >%s' "$(cat "passwords/$1.before")"
}

filled() {
    sed -e '/^#/d' -e "s/@api@/$(valid api)/" -e "s/@worker@/$(valid worker)/" -e "s/@backup@/$(valid backup)/" \
        -e "s/@queue@/$(valid queue)/" -e "s/@replica@/$(valid replica)/" -e "s/@join@/$(valid join)/" "$@"
}
filled "$here/streams-users.acl" > streams-users
filled "$here/queue-users.acl" > queue-users
filled "$here/streams-users.acl" "$here/kubernetes/cluster/users.acl" > cluster-users
for who in api worker backup; do
    echo "redis://$who:$(cat "passwords/$who")@streams:6379/0" > "$who-streams-url"
done
echo "redis://rewound:$(cat passwords/queue)@queue:6379/0" > queue-url
chmod 0644 secret-key ./*-users ./*-url
