//! Which addresses may be reached: only those of the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address may not be reached; `None` if it may.
pub(super) fn forbidden(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(four) => forbidden_v4(four),
        IpAddr::V6(six) => forbidden_v6(six),
    }
}

/// Blocks of IPv4 that are not the public internet: first address, prefix length, what they are.
const FOUR: &[(Ipv4Addr, u32, &str)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this machine"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "a private network"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "a provider's inner network"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "this machine"),
    (Ipv4Addr::new(168, 63, 129, 16), 32, "a cloud's inner service"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "a link-local network"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "a private network"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "a reserved network"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "a reserved network"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a reserved network"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "a private network"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "a reserved network"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "a reserved network"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "a reserved network"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "a multicast group"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "a reserved network"),
];

fn forbidden_v4(address: Ipv4Addr) -> Option<&'static str> {
    let bits = address.to_bits();
    let within = |&&(block, length, _): &&(Ipv4Addr, u32, _)| (bits ^ block.to_bits()) >> (32 - length) == 0;
    FOUR.iter().find(within).map(|(_, _, purpose)| *purpose)
}

/// Blocks inside the global part of IPv6 that are not the public internet, or that embed an IPv4 address.
const SIX: &[(Ipv6Addr, u32, &str)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "a reserved network"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "a reserved network"),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "an IPv4 address in disguise"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "a reserved network"),
];

fn forbidden_v6(address: Ipv6Addr) -> Option<&'static str> {
    let bits = address.to_bits();
    if address.is_loopback() || address.is_unspecified() {
        return Some("this machine");
    }
    // The public internet is 2000::/3; everything else (mapped, local, translated, multicast) is not.
    if bits >> 125 != 0b001 {
        return Some("not a public address");
    }
    let within = |&&(block, length, _): &&(Ipv6Addr, u32, _)| (bits ^ block.to_bits()) >> (128 - length) == 0;
    SIX.iter().find(within).map(|(_, _, purpose)| *purpose)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> bool {
        forbidden(text.parse().unwrap()).is_some()
    }

    #[test]
    fn the_edges_of_every_block() {
        for (inside, outside) in [
            (["0.0.0.0", "0.255.255.255"], ["1.0.0.0", "1.1.1.1"]),
            (["10.0.0.0", "10.255.255.255"], ["9.255.255.255", "11.0.0.0"]),
            (["100.64.0.0", "100.127.255.255"], ["100.63.255.255", "100.128.0.0"]),
            (["127.0.0.1", "127.255.255.254"], ["126.255.255.255", "128.0.0.0"]),
            (["169.254.0.0", "169.254.169.254"], ["169.253.255.255", "169.255.0.0"]),
            (["172.16.0.0", "172.31.255.255"], ["172.15.255.255", "172.32.0.0"]),
            (["192.168.0.0", "192.168.255.255"], ["192.167.255.255", "192.169.0.0"]),
            (["198.18.0.0", "198.19.255.255"], ["198.17.255.255", "198.20.0.0"]),
            (["224.0.0.1", "255.255.255.255"], ["223.255.255.255", "8.8.8.8"]),
            (["::1", "::"], ["2606:4700::1111", "2a00:1450:4001::200e"]),
            (["::ffff:8.8.8.8", "::8.8.8.8"], ["2400:cb00::1", "2620:fe::fe"]),
            (["64:ff9b::8.8.8.8", "fd00:ec2::254"], ["2001:4860:4860::8888", "2001:200::1"]),
            (["2002:7f00:1::", "2001:db8::1"], ["2003::1", "2001:db9::1"]),
            (["fe80::1", "ff02::1"], ["2607:f8b0::1", "2800::1"]),
            (["2001:0:53aa::1", "3fff::1"], ["3ffe::1", "2001:400::1"]),
        ] {
            for address in inside {
                assert!(refused(address), "{address} was let through");
            }
            for address in outside {
                assert!(!refused(address), "{address} was refused");
            }
        }
        assert!(refused("168.63.129.16"));
        assert!(!refused("168.63.129.17"));
    }
}
