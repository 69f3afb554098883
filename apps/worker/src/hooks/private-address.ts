import { BlockList, isIPv4, isIPv6 } from 'node:net';

const blocked = privateRanges();

/** Whether an address lies in a network of our own, or in none at all: nothing that somebody names may be looked up there. */
export function isPrivateAddress(address: string): boolean {
  if (isIPv4(address)) return blocked.check(address, 'ipv4');
  if (!isIPv6(address)) return true;
  return blocked.check(address, 'ipv6');
}

/** IPv4 addresses written as IPv6 are judged as what they are by BlockList itself. */
function privateRanges(): BlockList {
  const list = new BlockList();
  for (const range of [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ])
    addRange(list, range, 'ipv4');
  for (const range of [
    '::/128',
    '::1/128',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '100::/64',
    '2001::/23',
    '2001:db8::/32',
    '2002::/16',
    'fc00::/7',
    'fe80::/10',
    'ff00::/8',
  ])
    addRange(list, range, 'ipv6');
  return list;
}

function addRange(list: BlockList, range: string, family: 'ipv4' | 'ipv6'): void {
  const [network = '', bits = ''] = range.split('/');
  list.addSubnet(network, Number(bits), family);
}
