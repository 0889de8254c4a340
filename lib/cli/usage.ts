export const USAGE = `setpoint <command> [options]

  get <kind> [name…]            objects; get all for every kind
  apply -f <file>               declare what the files say (--dry-run, --force, -m <message>)
  diff -f <file>                what apply would change: 0 nothing, 1 something
  plan <kind> <name>            what would be done now; plan -f <file> for what is not stored
  pause <kind> <name>           --reason <why> [--for 2h]
  resume <kind> <name>
  reconcile <kind> <name>       look now
  wait <kind> <name>            until converged: 1 when stalled, stale, paused, of another generation, or not in time
                                (--for deleted, --timeout 5m, --generation <n>)
  events [<kind> <name>]        what happened, newest first
  kubeconfig                    for kubectl and other clients
  backup                        everything you may read, as YAML; secrets only as digests

Objects are named <kind> <name>…, <kind>/<name>…, or <kind> -l <selector>.

  -n, --namespace <name>        default: SETPOINT_NAMESPACE, else default
  -A, --all-namespaces
  -l, --selector <selector>
  -o, --output table|json|yaml|name
  -f, --filename <file>         YAML or JSON; a folder; - for the input
      --server <url>            default: SETPOINT_SERVER, else http://127.0.0.1:3000
      --token <token>           default: SETPOINT_TOKEN
      --ca <file>               default: SETPOINT_CA

What neither options nor environment say is read from ~/.config/setpoint (YAML with server, token, ca, namespace).
Exit codes: 0 done, 1 the answer is no, 2 it could not be found out.
`;
