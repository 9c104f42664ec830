import Skyros
import TestSupport

/// Two entities with every kind of relation, to each other and to themselves.
struct Team: Entity, Equatable {
    var id: Int
    var lead: Ref<Member>?
    var parent: Ref<Team>?
    static let relations: [Relation<Team>] = [
        .to(\.lead, onDelete: .nullify), .to(\.parent, onDelete: .cascade),
    ]
}

struct Member: Entity, Equatable {
    var id: Int
    var team: Ref<Team>
    var next: Ref<Member>?
    var friends: [Ref<Member>] = []
    var clubs: Set<Ref<Team>> = []
    var keeper: Ref<Team>?
    var wards: [Ref<Member>] = []
    static let relations: [Relation<Member>] = [
        .to(\.team, onDelete: .cascade), .to(\.next, onDelete: .cascade),
        .toMany(\.friends, onDelete: .remove), .toMany(\.clubs, onDelete: .remove),
        .to(\.keeper, onDelete: .deny), .toMany(\.wards, onDelete: .deny),
    ]
}

/// The relations in plain Swift: every question is a search through all records.
struct RelationModel: Equatable {
    enum Key: Hashable { case team(Int), member(Int) }
    enum Failure: Error, Equatable { case broken(Set<String>), denied(Set<String>) }
    private enum Rule { case cascade, remove, deny }
    private struct Link {
        let field: String
        let rule: Rule
        let targets: [Key]
    }

    var teams: [Int: Team] = [:]
    var members: [Int: Member] = [:]

    private var keys: [Key] { teams.keys.map { .team($0) } + members.keys.map { .member($0) } }

    private func has(_ key: Key) -> Bool {
        switch key {
        case .team(let id): teams[id] != nil
        case .member(let id): members[id] != nil
        }
    }

    private func links(of key: Key) -> [Link] {
        func link(_ field: String, _ rule: Rule, _ targets: [Ref<Team>]) -> Link {
            Link(field: field, rule: rule, targets: targets.map { .team($0.id) })
        }
        func link(_ field: String, _ rule: Rule, _ targets: [Ref<Member>]) -> Link {
            Link(field: field, rule: rule, targets: targets.map { .member($0.id) })
        }
        switch key {
        case .team(let id):
            guard let team = teams[id] else { return [] }
            return [
                link("lead", .remove, team.lead.references),
                link("parent", .cascade, team.parent.references),
            ]
        case .member(let id):
            guard let member = members[id] else { return [] }
            return [
                link("team", .cascade, member.team.references),
                link("next", .cascade, member.next.references),
                link("friends", .remove, member.friends), link("wards", .deny, member.wards),
                link("clubs", .remove, member.clubs.references),
                link("keeper", .deny, member.keeper.references),
            ]
        }
    }

    private mutating func delete(_ key: Key) {
        switch key {
        case .team(let id): teams[id] = nil
        case .member(let id): members[id] = nil
        }
    }

    /// Ends a block that began with `before`.
    mutating func endBlock(from before: RelationModel) throws(Failure) {
        func targets(_ key: Key, _ field: String) -> Set<Key> {
            Set(before.links(of: key).first { $0.field == field }?.targets ?? [])
        }
        var isStable = false
        while !isStable {
            isStable = true
            for key in keys {
                let isHit = links(of: key).contains { link in
                    link.rule == .cascade
                        && link.targets.contains { target in
                            !has(target) && before.has(target)
                                && targets(key, link.field).contains(target)
                        }
                }
                if isHit {
                    delete(key)
                    isStable = false
                }
            }
        }
        removeReferences(since: before)
        var (denied, broken): (Set<String>, Set<String>) = ([], [])
        for key in keys {
            for link in links(of: key) {
                for target in link.targets where !has(target) {
                    let text = "\(name(key)).\(link.field) → \(name(target))"
                    let isOld = targets(key, link.field).contains(target)
                    if isOld, link.rule == .deny {
                        denied.insert(text)
                    } else {
                        broken.insert(text)
                    }
                }
            }
        }
        if !denied.isEmpty { throw .denied(denied) }
        if !broken.isEmpty { throw .broken(broken) }
    }

    private mutating func removeReferences(since before: RelationModel) {
        let (teams, members) = (self.teams, self.members)
        func isLost(_ target: Ref<Member>, _ old: [Ref<Member>]) -> Bool {
            members[target.id] == nil && old.contains(target)
        }
        for (id, team) in teams {
            if let lead = team.lead, isLost(lead, before.teams[id]?.lead.references ?? []) {
                self.teams[id]?.lead = nil
            }
        }
        for (id, _) in members {
            let old = before.members[id]
            self.members[id]?.friends.removeAll { isLost($0, old?.friends ?? []) }
            if let clubs = self.members[id]?.clubs {
                self.members[id]?.clubs = clubs.filter { club in
                    teams[club.id] != nil || old?.clubs.contains(club) != true
                }
            }
        }
    }

    private func name(_ key: Key) -> String {
        switch key {
        case .team(let id): "Team \(id)"
        case .member(let id): "Member \(id)"
        }
    }
}

extension RelationModel {
    /// One step of a block.
    enum Step {
        case putTeam(Team), putMember(Member), deleteTeam(Int), deleteMember(Int)
        case deleteTeams, deleteMembers

        init(_ random: inout RandomSource, idMax: Int) {
            let id = random.below(idMax)
            func member() -> Ref<Member> { Ref(random.below(idMax)) }
            func team() -> Ref<Team> { Ref(random.below(idMax)) }
            func isOneOf(_ count: Int) -> Bool { random.below(count) == 0 }
            switch random.below(40) {
            case 0..<9:
                self = .putTeam(
                    Team(
                        id: id, lead: isOneOf(2) ? member() : nil,
                        parent: isOneOf(4) ? team() : nil))
            case 9..<23:
                self = .putMember(
                    Member(
                        id: id, team: team(), next: isOneOf(4) ? member() : nil,
                        friends: (0..<random.below(4)).map { _ in member() },
                        clubs: Set((0..<random.below(3)).map { _ in team() }),
                        keeper: isOneOf(12) ? team() : nil,
                        wards: isOneOf(12) ? [member(), member()] : []))
            case 23..<31: self = .deleteTeam(id)
            case 31..<39: self = .deleteMember(id)
            default: self = isOneOf(2) ? .deleteTeams : .deleteMembers
            }
        }
    }

    mutating func apply(_ step: Step) {
        switch step {
        case .putTeam(let team): teams[team.id] = team
        case .putMember(let member): members[member.id] = member
        case .deleteTeam(let id): teams[id] = nil
        case .deleteMember(let id): members[id] = nil
        case .deleteTeams: teams = [:]
        case .deleteMembers: members = [:]
        }
    }

    static func apply(_ step: Step, to tx: inout WriteTransaction) throws {
        switch step {
        case .putTeam(let team): try tx.upsert(team)
        case .putMember(let member): try tx.upsert(member)
        case .deleteTeam(let id): try tx.delete(Team.self, id)
        case .deleteMember(let id): try tx.delete(Member.self, id)
        case .deleteTeams: try tx.deleteAll(Team.self)
        case .deleteMembers: try tx.deleteAll(Member.self)
        }
    }

    init(of state: Snapshot) throws {
        teams = Dictionary(uniqueKeysWithValues: try state.all(Team.self).map { ($0.id, $0) })
        members = Dictionary(uniqueKeysWithValues: try state.all(Member.self).map { ($0.id, $0) })
    }
}
